import { type Decoded, type EventName, type Hook, isRecord, type Note, plainText } from '../../core/index.ts'
import { type Lost, noteLost } from '../common/lost.ts'
import { decodeHandler } from './handler.ts'
import { encodeMatcher } from './matcher.ts'
import { rowOf, theirNames } from './names.ts'
import { promptToTheirs } from './prompt.ts'
import { writeRule } from './rule.ts'

/** A `settings.json` with nothing in it but hooks. */
export function encodeConfig(hooks: readonly Hook[]): Decoded<unknown> {
  const notes: Note[] = []
  const events: Record<string, { matcher?: string; hooks: object[] }[]> = {}
  for (const hook of hooks) {
    const lost = noteLost(notes, 'claude-code', hook.id)
    const name = theirNames[hook.event]
    if (name === undefined) {
      lost(`The event ${hook.event}`, 'The hook was left out.')
      continue
    }
    const handler = encodeHook(hook, lost)
    if (!handler) continue
    const { matcher, rule } = encodeTests(hook, lost)
    const groups = events[name] ?? []
    events[name] = groups
    const entry = { ...handler, ...(rule === undefined ? {} : { if: rule }) }
    const last = groups.at(-1)
    if (last && (last.matcher ?? '') === matcher) last.hooks.push(entry)
    else groups.push({ ...(matcher === '' ? {} : { matcher }), hooks: [entry] })
  }
  return { value: { hooks: events }, notes }
}

/** The last two tests may be a rule for `if`; what is before them, or all of it, is for the matcher. */
function encodeTests({ event, matcher }: Hook, lost: Lost): { matcher: string; rule?: string } {
  const [tool, argument] = matcher.slice(-2)
  const rule =
    tool && argument?.facet === 'args' && tool.facet === 'tool' && !tool.negate && !argument.negate
      ? writeRule(tool, argument)
      : undefined
  const written = encodeMatcher(rule === undefined ? matcher : matcher.slice(0, -2), event)
  if (written !== undefined) return { matcher: written, ...(rule === undefined ? {} : { rule }) }
  const first = encodeMatcher(matcher.slice(0, 1), event)
  lost('A matcher that looks at more than one thing', 'The hook is asked more often there.')
  return { matcher: first ?? '' }
}

function encodeHook(hook: Hook, lost: Lost): object | undefined {
  const handler = encodeRun(hook, lost)
  if (!handler) return undefined
  if (!hook.enabled) {
    lost('Being disabled', 'The hook was left out.')
    return undefined
  }
  mention(hook, lost)
  const complete = {
    ...handler,
    ...(hook.background && hook.run.type === 'command' ? { async: true } : {}),
    ...policy(hook, lost),
  }
  const usual = usualTimeout(complete, hook.event)
  return { ...complete, ...(hook.timeoutMs === usual ? {} : { timeout: hook.timeoutMs / 1_000 }) }
}

function encodeRun({ run, event }: Hook, lost: Lost): object | undefined {
  const { type, command, args, url, headers, allowed_env, model, prompt } = run
  if (type === 'command' && typeof command === 'string') {
    if (run['clean_env'] || run['output_limit']) lost('`clean_env` or `output_limit`', 'Limit it inside the command.')
    return { type, command, ...(Array.isArray(args) ? { args } : {}) }
  }
  if (type === 'http') {
    const entries = Object.entries(isRecord(headers) ? headers : {})
    const theirs = entries.map(([name, value]) => [name, plainText(value).replace(/\$\{env:(\w+)\}/g, '$${$1}')])
    return {
      type,
      url,
      ...(theirs.length > 0 ? { headers: Object.fromEntries(theirs) } : {}),
      ...(Array.isArray(allowed_env) ? { allowedEnvVars: allowed_env } : {}),
    }
  }
  const words = type === 'model' && typeof prompt === 'string' ? promptToTheirs(prompt, event) : undefined
  if (words !== undefined && typeof model === 'string' && model.startsWith('anthropic/')) {
    if (run['schema'] !== 'objection') lost('A judge that approves', 'It can only object there.')
    return { type: 'prompt', prompt: words, model: model.slice('anthropic/'.length) }
  }
  lost(`A hook of type \`${type}\` with these options`, 'The hook was left out; wrap it in a command.')
  return undefined
}

function policy({ event, onFailure, background, run }: Hook, lost: Lost): object {
  if (onFailure === 'open' || background) return {}
  const closes = onFailure === 'closed' && rowOf(event).exit2 === 'deny' && run.type !== 'model'
  if (closes) return { onFailure: 'block' }
  lost(`Failing ${onFailure ?? 'as the event says'}`, 'A failing hook lets things go on there.')
  return {}
}

function usualTimeout(handler: object, event: EventName): number | undefined {
  const { timeout: _none, ...plain } = handler as Record<string, unknown>
  return decodeHandler(plain, event, [], nowhere).hook?.timeoutMs
}

const nowhere = { file: '', layer: 'user', locate: () => ({ file: '' }) } as const

/** What a hook can be here, and cannot be there. */
function mention(hook: Hook, lost: Lost): void {
  if (hook.dialect !== 'claude-code')
    lost(`The language of ${hook.dialect}`, 'Let the hook read the payload of Claude Code and answer as it expects.')
  if (hook.mode === 'shadow') lost('Shadow mode', 'The hook counts there.')
  if (hook.background && hook.run.type !== 'command')
    lost('Running in the background', 'The event waits for the hook there.')
  if (hook.stage !== 0) lost('Its stage', 'All hooks are asked together there.')
  if (hook.unlessRuled) lost('Being asked only when no rule has decided', 'The hook is always asked there.')
  if (hook.topLevelOnly) lost('Not being asked for sub-agents', 'Test for `agent_id` in the hook.')
  if (hook.workingDir !== undefined) lost('Its working directory', 'Write `cd … &&` in front of the command.')
  const own = Object.keys(hook.env).filter((name) => name !== 'CLAUDE_PLUGIN_ROOT')
  if (own.length > 0) lost('Its environment', 'Write the variables in front of the command.')
}
