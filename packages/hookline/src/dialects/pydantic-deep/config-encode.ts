import { type Decoded, type Hook, hookDefaults, type Note } from '../../core/index.ts'
import { quoteWords } from '../../shell/index.ts'
import { type Lost, noteLost } from '../common/lost.ts'
import { encodeMatcher } from '../crush/matcher.ts'
import { rowOf, theirNames } from './names.ts'

/** The fields of its `Hook`, as a list in the order in which hooks are asked. */
export function encodeConfig(hooks: readonly Hook[]): Decoded<unknown> {
  const notes: Note[] = []
  const entries = hooks
    .toSorted((one, other) => one.stage - other.stage)
    .flatMap((hook) => {
      const lost = noteLost(notes, 'pydantic-deep', hook.id)
      return encodeHook(hook, lost) ?? []
    })
  return { value: { hooks: entries }, notes }
}

function encodeHook(hook: Hook, lost: Lost): object | undefined {
  const event = theirNames[hook.event]
  const { type, command, args } = hook.run
  if (event === undefined) lost(`The event ${hook.event}`, 'The hook was left out.')
  else if (type !== 'command' || typeof command !== 'string')
    lost(`A hook of type \`${type}\``, 'The hook was left out; wrap it in a command.')
  else if (!hook.enabled) lost('Being disabled', 'The hook was left out.')
  else {
    mention(hook, lost)
    const tool = hook.matcher.find((test) => test.facet === 'tool' && !test.negate)
    const matcher = tool && rowOf(hook.event).tool ? encodeMatcher(tool.test) : ''
    return {
      event,
      command: Array.isArray(args) ? quoteWords([command, ...args.map(String)]) : command,
      ...(matcher !== '' && { matcher }),
      ...(hook.timeoutMs !== hookDefaults.timeoutMs && { timeout: hook.timeoutMs / 1_000 }),
      ...(hook.background && { background: true }),
    }
  }
  return undefined
}

/** What a hook can be here, and cannot be there. */
function mention(hook: Hook, lost: Lost): void {
  if (hook.dialect !== 'pydantic-deep')
    lost(`The language of ${hook.dialect}`, 'Let the command read and answer as pydantic-deep expects.')
  if (hook.onFailure !== 'open') lost('Failing closed', 'A failing command lets the call go on there.')
  if (hook.mode === 'shadow') lost('Shadow mode', 'The hook counts there.')
  if (hook.unlessRuled) lost('Being asked only when no rule has decided', 'The hook is always asked there.')
  if (hook.topLevelOnly) lost('Not being asked for sub-agents', 'Give the hook to the top agent only.')
  if (hook.workingDir !== undefined) lost('Its working directory', 'Write `cd … &&` in front of the command.')
  if (Object.keys(hook.env).length > 0) lost('Its environment', 'Write the variables in front of the command.')
  const tools = hook.matcher.filter((test) => test.facet === 'tool' && !test.negate)
  if (hook.matcher.length > tools.length || tools.length > 1)
    lost('A matcher that looks at more than the name of the tool', 'The hook is asked more often there.')
}
