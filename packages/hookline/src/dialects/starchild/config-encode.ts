import type { Decoded, Hook, Note } from '../../core/index.ts'
import { quoteWords } from '../../shell/index.ts'
import { type Lost, noteLost } from '../common/lost.ts'
import { timeouts } from './config.ts'
import { theirNames } from './names.ts'

/** A `shell_hooks.yaml`, in the order in which hooks are asked. */
export function encodeConfig(hooks: readonly Hook[]): Decoded<unknown> {
  const notes: Note[] = []
  const isOff = hooks.length > 0 && hooks.every((hook) => !hook.enabled)
  const entries = hooks
    .toSorted((one, other) => one.stage - other.stage)
    .flatMap((hook) => {
      const lost = noteLost(notes, 'starchild', hook.id)
      if (hook.enabled || isOff) return encodeHook(hook, lost) ?? []
      lost('Being disabled', 'The hook was left out: only all hooks together can be switched off there.')
      return []
    })
  return { value: { ...(isOff && { enabled: false }), hooks: entries }, notes }
}

function encodeHook(hook: Hook, lost: Lost): object | undefined {
  const event = theirNames[hook.event]
  if (event === undefined) {
    lost(`The event ${hook.event}`, 'The hook was left out.')
    return undefined
  }
  const run = encodeRun(hook, lost)
  if (!run) return undefined
  mention(hook, lost)
  const text = hook.matcher.find(({ facet, test, negate }) => facet === 'text' && 'regex' in test && !negate)?.test
  const seconds = Math.min(timeouts.longest, hook.timeoutMs / 1_000)
  if (hook.timeoutMs > timeouts.longest * 1_000) lost('Such a long time-out', `It became ${seconds} s.`)
  return {
    event,
    ...(text && 'regex' in text && { matcher: text.whole ? `^(?:${text.regex})$` : text.regex }),
    ...run,
    ...(seconds !== timeouts.usual && { timeout: seconds }),
  }
}

/** There is no shell there, so what needs one is handed to one. */
function encodeRun({ run }: Hook, lost: Lost): object | undefined {
  const { type, command, args, url } = run
  if (type === 'http' && typeof url === 'string') {
    if (run['headers'] || run['secret_env']) lost('Headers or a signature', 'Put a token in the URL.')
    return { type, url, ...(run['allow_local'] === true && { allow_local: true }) }
  }
  if (type === 'command' && typeof command === 'string')
    return {
      command: Array.isArray(args) ? quoteWords([command, ...args.map(String)]) : quoteWords(['sh', '-c', command]),
    }
  lost(`A hook of type \`${type}\``, 'The hook was left out; wrap it in a command.')
  return undefined
}

/** What a hook can be here, and cannot be there. */
function mention(hook: Hook, lost: Lost): void {
  if (hook.dialect !== 'starchild')
    lost(`The language of ${hook.dialect}`, 'Let the script read and answer as Starchild expects.')
  if (hook.onFailure !== 'open') lost('Failing closed', 'A failing hook lets everything go on there.')
  if (hook.mode === 'shadow') lost('Shadow mode', 'The hook counts there.')
  if (hook.background) lost('Running in the background', 'The event waits for the hook there.')
  if (hook.unlessRuled) lost('Being asked only when no rule has decided', 'The hook is always asked there.')
  if (hook.topLevelOnly) lost('Not being asked for sub-agents', 'The hook is asked for all agents there.')
  if (hook.workingDir !== undefined) lost('Its working directory', 'Use absolute paths.')
  if (Object.keys(hook.env).length > 0) lost('Its environment', 'Set the variables in the script.')
  if (hook.matcher.some(({ facet, test, negate }) => facet !== 'text' || !('regex' in test) || negate))
    lost('A test of its matcher', 'The hook is asked more often there; let the script look at the payload.')
}
