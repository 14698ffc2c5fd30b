import { type Decoded, type Hook, hookDefaults, type Note } from '../../core/index.ts'
import { quoteWords } from '../../shell/index.ts'
import { type Lost, noteLost } from '../common/lost.ts'
import { encodeMatcher } from './matcher.ts'
import { theirNames } from './names.ts'

/** A `crush.json` with nothing in it but hooks. */
export function encodeConfig(hooks: readonly Hook[]): Decoded<unknown> {
  const notes: Note[] = []
  const lists: Record<string, unknown[]> = {}
  for (const hook of hooks) {
    const lost = noteLost(notes, 'crush', hook.id)
    const name = theirNames[hook.event]
    const entry = name === undefined ? undefined : encodeHook(hook, lost)
    if (name === undefined) lost(`The event ${hook.event}`, 'The hook was left out.')
    else if (entry) lists[name] = [...(lists[name] ?? []), entry]
  }
  return { value: { hooks: lists }, notes }
}

function encodeHook(hook: Hook, lost: Lost): object | undefined {
  const command = encodeRun(hook, lost)
  if (command === undefined) return undefined
  if (!hook.enabled) {
    lost('Being disabled', 'The hook was left out.')
    return undefined
  }
  mention(hook, lost)
  const tool = hook.matcher.find((test) => test.facet === 'tool' && !test.negate)
  const matcher = tool ? encodeMatcher(tool.test) : ''
  const seconds = Math.max(1, Math.ceil(hook.timeoutMs / 1_000))
  if (seconds * 1_000 !== hook.timeoutMs) lost('A time-out in fractions of a second', `It was rounded to ${seconds} s.`)
  return {
    ...(hook.description === undefined ? {} : { name: hook.description }),
    ...(matcher === '' ? {} : { matcher }),
    command,
    ...(seconds * 1_000 === hookDefaults.timeoutMs ? {} : { timeout: seconds }),
  }
}

function encodeRun({ run }: Hook, lost: Lost): string | undefined {
  const { type, command, args } = run
  if (type !== 'command' || typeof command !== 'string') {
    lost(`A hook of type \`${type}\``, 'The hook was left out; wrap it in a command.')
    return undefined
  }
  if (run['clean_env'] || run['output_limit']) lost('`clean_env` or `output_limit`', 'Limit it inside the command.')
  return Array.isArray(args) ? quoteWords([command, ...args.map(String)]) : command
}

/** What a hook can be here, and cannot be there. */
function mention(hook: Hook, lost: Lost): void {
  if (hook.dialect !== 'crush')
    lost(`The language of ${hook.dialect}`, 'Let the command read the payload of Crush and answer as Crush expects.')
  if (hook.onFailure !== 'open') lost('Failing closed', 'A failing hook lets the call go on there.')
  if (!hook.topLevelOnly) lost('Being asked for sub-agents', 'Only calls of the top-level agent are hooked there.')
  if (hook.mode === 'shadow') lost('Shadow mode', 'The hook counts there.')
  if (hook.background) lost('Running in the background', 'The call waits for the hook there.')
  if (hook.stage !== 0) lost('Its stage', 'All hooks are asked together there.')
  if (hook.unlessRuled) lost('Being asked only when no rule has decided', 'The hook is always asked there.')
  if (hook.workingDir !== undefined) lost('Its working directory', 'Write `cd … &&` in front of the command.')
  if (Object.keys(hook.env).length > 0) lost('Its environment', 'Write the variables in front of the command.')
  const tools = hook.matcher.filter((test) => test.facet === 'tool' && !test.negate)
  if (hook.matcher.length > tools.length || tools.length > 1)
    lost('A matcher that looks at more than the name of the tool', 'The hook is asked more often there.')
}
