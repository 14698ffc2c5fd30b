import type { Decoded, DecodedConfig, EventName, Hook, MatchTest, Note, Source } from '../../core/index.ts'
import { foldName, hookDefaults, isRecord, note, plainText } from '../../core/index.ts'
import { idMaker, type Path, runTwinsOnce, shapeNote, unknownEvent, unknownKeys } from '../common/config.ts'
import { type Lost, noteLost, noteLostTraits, usualAdvice } from '../common/encode.ts'
import { decodeHandler } from './handler.ts'
import { decodeMatcher, encodeMatcher, readRule, writeRule } from './matcher.ts'
import { findTheirs, rowOf, theirName, theirNames, withoutCounterpart } from './names.ts'
import { promptToTheirs } from './run.ts'

/** `settings.json`, `settings.local.json`, a plugin's `hooks.json`, or anything with groups of handlers by event. */
export function detectConfig(document: unknown, fileName: string): boolean {
  if (!isRecord(document) || /^\.?(?:crush|hookline)\b/.test(fileName)) return false
  const { hooks } = document
  if (/^(?:managed-)?settings(?:\.local)?\.json$/.test(fileName)) return hooks === undefined || isRecord(hooks)
  if (!isRecord(hooks) || Object.keys(hooks).length === 0) return false
  return Object.entries(hooks).every(
    ([name, groups]) =>
      isTheirs(name) && Array.isArray(groups) && groups.every((group) => isRecord(group) && 'hooks' in group),
  )
}

export function decodeConfig(document: unknown, source: Source): DecodedConfig {
  const decoded: DecodedConfig = { hooks: [], problems: [], notes: [] }
  const makeId = idMaker()
  const hooks = isRecord(document) ? (document['hooks'] ?? {}) : undefined
  if (!isRecord(hooks)) {
    decoded.problems.push(shapeNote(source, isRecord(document) ? ['hooks'] : [], 'must be an object', example))
    return decoded
  }
  const disabled = isRecord(document) && document['disableAllHooks'] === true
  if (disabled)
    decoded.notes.push(shapeNote(source, ['disableAllHooks'], 'turns these hooks off', 'Remove it to have them run.'))
  for (const [name, groups] of Object.entries(hooks)) decodeEvent(name, groups)
  // "Identical handlers … run once", whichever of their groups match.
  return { ...decoded, hooks: runTwinsOnce(decoded.hooks) }

  function decodeEvent(name: string, groups: unknown): void {
    const at = ['hooks', name]
    const event = findTheirs(name)
    const foreign = withoutCounterpart.find((known) => foldName(known) === foldName(name))
    if (foreign)
      decoded.notes.push(
        note('event-not-raised', { dialect: 'claude-code', event: foreign }, { where: source.locate(at) }),
      )
    else if (event === undefined)
      decoded.problems.push(unknownEvent(name, Object.values(theirNames), source.locate(at)))
    else if (!Array.isArray(groups)) decoded.problems.push(shapeNote(source, at, 'must be a list', example))
    else for (const [index, group] of groups.entries()) decodeGroup(group, event, [...at, index])
  }

  function decodeGroup(group: unknown, event: EventName, at: Path): void {
    const handlers = isRecord(group) ? group['hooks'] : undefined
    if (!isRecord(group) || !Array.isArray(handlers)) {
      const path = isRecord(group) ? [...at, 'hooks'] : at
      decoded.problems.push(shapeNote(source, path, 'must be a list of hooks', example))
      return
    }
    decoded.notes.push(...unknownKeys(group, ['matcher', 'hooks'], at, source))
    const { matcher = '' } = group
    if (matcher !== null && typeof matcher !== 'string') {
      decoded.problems.push(shapeNote(source, [...at, 'matcher'], 'must be text', 'Write `"matcher": "Bash"`.'))
      return
    }
    const read = decodeMatcher(matcher ?? '', event, source.locate([...at, 'matcher']))
    decoded.notes.push(...read.notes)
    for (const [index, handler] of handlers.entries()) decodeOne(handler, event, read.tests, [...at, 'hooks', index])
  }

  function decodeOne(handler: unknown, event: EventName, matcher: readonly MatchTest[], at: Path): void {
    const { hook, problems, notes } = decodeHandler(handler, event, at, source)
    const rule = isRecord(handler) ? decodeRule(handler['if'], event, [...at, 'if']) : []
    decoded.problems.push(...problems)
    decoded.notes.push(...notes)
    if (!hook || !rule) return
    decoded.hooks.push({
      ...hookDefaults,
      id: makeId(event),
      event,
      dialect: 'claude-code',
      ...hook,
      matcher: [...matcher, ...rule],
      judgesOnce: true,
      enabled: !disabled,
      env: pluginEnv(source.file),
      origin: { layer: source.layer, where: source.locate(at) },
    })
  }

  function decodeRule(rule: unknown, event: EventName, at: Path): readonly MatchTest[] | undefined {
    if (rule === undefined || rule === null) return []
    const where = source.locate(at)
    const fix = 'Write one permission rule, such as `Bash(git *)`.'
    if (typeof rule !== 'string') decoded.problems.push(shapeNote(source, at, 'must be text', fix))
    else if (rowOf(event).matches !== 'tool')
      decoded.problems.push(
        note(
          'matcher-dead',
          { detail: `\`if\` is a rule about tools, and ${theirName(event)} has none`, fix: 'Remove `if`.' },
          { where },
        ),
      )
    else {
      const read = readRule(rule, where)
      if (!read.ok) decoded.problems.push(shapeNote(source, at, `cannot be read: ${read.detail}`, fix))
      else {
        if (read.unread !== undefined)
          decoded.notes.push(shapeNote(source, at, `is read without \`(${read.unread})\``, 'Test it in the hook.'))
        return read.tests
      }
    }
    return undefined
  }
}

const example =
  'Write `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "…"}]}]}}`.'

const isTheirs = (name: string) =>
  Object.values(theirNames).includes(name) || (withoutCounterpart as readonly string[]).includes(name)

/** A plugin's `hooks/hooks.json` names files beside it. */
function pluginEnv(file: string): Record<string, string> {
  const root = /^(\/.*)\/hooks\/hooks\.json$/.exec(file)?.[1]
  return root === undefined ? {} : { CLAUDE_PLUGIN_ROOT: root }
}

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
  lost('A matcher that looks at more than one thing', 'The hook runs more often there.')
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
  const { CLAUDE_PLUGIN_ROOT: _known, ...env } = hook.env
  const background = hook.background && hook.run.type !== 'command'
  noteLostTraits({ ...hook, env, background }, 'claude-code', lost, {
    ...usualAdvice,
    language: 'Let the hook read the payload of Claude Code and answer as it expects.',
    topLevelOnly: 'Test for `agent_id` in the hook.',
  })
}
