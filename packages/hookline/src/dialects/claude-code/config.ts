import type { BrokenEntry, Decoded, DecodedConfig, EventName, Hook, MatchTest, Note, Source } from '../../core/index.ts'
import { didYouMean, foldName, hookDefaults, isRecord, note, plainText } from '../../core/index.ts'
import { idMaker, type Path, runTwinsOnce, shapeNote, unknownEvent } from '../common/config.ts'
import { type Lost, noteLost, noteLostTraits, usualAdvice } from '../common/encode.ts'
import { decodeHandler, handlerKeys, isAsync } from './handler.ts'
import { isRemark, strayKeys } from './keys.ts'
import { decodeMatcher, encodeMatcher, readRule, writeRule } from './matcher.ts'
import { findTheirs, rowOf, theirName, theirNames, withoutCounterpart } from './names.ts'
import { promptToTheirs } from './run.ts'

/** `settings.json`, `settings.local.json`, a plugin's `hooks.json`, or anything with groups of handlers by event. */
export function detectConfig(document: unknown, fileName: string): boolean {
  if (!isRecord(document) || /^\.?(?:crush|hookline)\b/.test(fileName)) return false
  const { hooks } = document
  if (/^(?:managed-)?settings(?:\.local)?\.json$/.test(fileName)) return hooks === undefined || isRecord(hooks)
  if (!isRecord(hooks) || Object.keys(hooks).length === 0) return false
  // One event whose entries are groups is enough: what else is written there may be broken.
  return Object.entries(hooks).some(
    ([name, groups]) =>
      isTheirs(name) &&
      Array.isArray(groups) &&
      groups.length > 0 &&
      groups.every((group) => isRecord(group) && 'hooks' in group),
  )
}

export function decodeConfig(document: unknown, source: Source): DecodedConfig {
  const decoded = { hooks: [] as Hook[], problems: [] as Note[], notes: [] as Note[], broken: [] as BrokenEntry[] }
  const makeId = idMaker()
  const hooks = isRecord(document) ? (document['hooks'] ?? {}) : undefined
  if (!isRecord(hooks)) {
    decoded.problems.push(shapeNote(source, isRecord(document) ? ['hooks'] : [], 'must be an object', example))
    return decoded
  }
  const disabled = isRecord(document) && document['disableAllHooks'] === true
  if (disabled)
    decoded.notes.push(shapeNote(source, ['disableAllHooks'], 'turns these hooks off', 'Remove it to have them run.'))
  if (isRecord(document)) decoded.notes.push(...misplacedEvents(document, source))
  for (const [name, groups] of Object.entries(hooks)) decodeEvent(name, groups)
  // "Identical handlers … run once", whichever of their groups match.
  return { ...decoded, hooks: runTwinsOnce(decoded.hooks) }

  /** Each entry is read by itself; of a broken one, what it would have guarded is kept. */
  function broken(problems: readonly Note[], event?: EventName, matcher: readonly MatchTest[] = []): void {
    decoded.problems.push(...problems)
    for (const problem of problems)
      decoded.broken.push({ problem, matcher, ...(event !== undefined && !disabled && { event }) })
  }

  function decodeEvent(name: string, groups: unknown): void {
    const at = ['hooks', name]
    const event = findTheirs(name)
    const foreign = withoutCounterpart.find((known) => foldName(known) === foldName(name))
    if (foreign)
      decoded.notes.push(
        note('event-not-raised', { dialect: 'claude-code', event: foreign }, { where: source.locate(at) }),
      )
    else if (event === undefined) decodeUnknown(name, groups, at)
    else if (groups === null) return
    else if (!Array.isArray(groups)) broken([shapeNote(source, at, 'must be a list', example)], event)
    else for (const [index, group] of groups.entries()) decodeGroup(group, event, [...at, index])
  }

  /** Where a guard's name was misspelt, its groups still say what it was to match. */
  function decodeUnknown(name: string, groups: unknown, at: Path): void {
    if (isRemark(name, groups)) return
    const problem = unknownEvent(name, Object.values(theirNames), source.locate(at))
    const meant = disabled ? undefined : misspelt(name)
    decoded.problems.push(problem)
    decoded.broken.push({ problem, matcher: [] })
    if (meant === undefined || !Array.isArray(groups)) return
    for (const [index, group] of groups.entries()) {
      const matcher = isRecord(group) && typeof group['matcher'] === 'string' ? group['matcher'] : ''
      const { tests } = decodeMatcher(matcher, meant, source.locate([...at, index, 'matcher']))
      decoded.broken.push({ problem, event: meant, matcher: tests })
    }
  }

  function decodeGroup(group: unknown, event: EventName, at: Path): void {
    const { matcher = '', hooks: handlers } = isRecord(group) ? group : {}
    if (matcher !== null && typeof matcher !== 'string') {
      broken([shapeNote(source, [...at, 'matcher'], 'must be text', 'Write `"matcher": "Bash"`.')], event)
      return
    }
    const read = decodeMatcher(matcher ?? '', event, source.locate([...at, 'matcher']))
    if (handlers === null) return
    if (!isRecord(group) || !Array.isArray(handlers)) {
      const path = isRecord(group) ? [...at, 'hooks'] : at
      broken([shapeNote(source, path, 'must be a list of hooks', example)], event, read.tests)
      return
    }
    decoded.notes.push(...strayKeys(group, ['matcher', 'hooks'], handlerKeys, at, source), ...read.notes)
    for (const [index, handler] of handlers.entries()) decodeOne(handler, event, read.tests, [...at, 'hooks', index])
  }

  function decodeOne(handler: unknown, event: EventName, matcher: readonly MatchTest[], at: Path): void {
    const { hook, problems, notes } = decodeHandler(handler, event, at, source)
    const rule = isRecord(handler) ? decodeRule(handler['if'], event, [...at, 'if']) : { tests: [] }
    const waited = !isRecord(handler) || !isAsync(handler)
    broken([...problems, ...(rule.problem ? [rule.problem] : [])], waited ? event : undefined, [
      ...matcher,
      ...rule.tests,
    ])
    decoded.notes.push(...notes)
    if (!hook || rule.problem) return
    decoded.hooks.push({
      ...hookDefaults,
      id: makeId(event),
      event,
      dialect: 'claude-code',
      ...hook,
      matcher: [...matcher, ...rule.tests],
      judgesOnce: true,
      enabled: !disabled,
      env: pluginEnv(source.file),
      origin: { layer: source.layer, where: source.locate(at) },
    })
  }

  function decodeRule(rule: unknown, event: EventName, at: Path): { tests: readonly MatchTest[]; problem?: Note } {
    if (rule === undefined || rule === null || rule === '') return { tests: [] }
    const where = source.locate(at)
    const fix = 'Write one permission rule, such as `Bash(git *)`.'
    if (typeof rule !== 'string') return { tests: [], problem: shapeNote(source, at, 'must be text', fix) }
    if (rowOf(event).matches !== 'tool') {
      const detail = `\`if\` is a rule about tools, and ${theirName(event)} has none`
      return { tests: [], problem: note('matcher-dead', { detail, fix: 'Remove `if`.' }, { where }) }
    }
    const read = readRule(rule, where)
    if (!read.ok) return { tests: [], problem: shapeNote(source, at, `cannot be read: ${read.detail}`, fix) }
    if (read.unread !== undefined)
      decoded.notes.push(shapeNote(source, at, `is read without \`(${read.unread})\``, 'Test it in the hook.'))
    return read
  }
}

/**
 * The guard whose name this must have been. A whole name with more around it than a letter or two at its end was put out of
 * the way on purpose.
 */
function misspelt(name: string): EventName | undefined {
  const known = Object.entries(theirNames) as [EventName, string][]
  const aside = known.some(([, theirs]) => {
    const [before, after] = name.toLowerCase().split(theirs.toLowerCase())
    return after !== undefined && (before !== '' || !/^[a-z]{1,2}$/.test(after))
  })
  if (aside) return undefined
  const hint = didYouMean(name, Object.values(theirNames))
  return known.find(([, theirs]) => hint.includes(`\`${theirs}\``))?.[0]
}

/** Events beside `hooks` rather than in it: Claude Code does not read them. */
function misplacedEvents(document: Record<string, unknown>, source: Source): Note[] {
  return Object.keys(document)
    .filter((key) => isTheirs(key) && Array.isArray(document[key]))
    .map((key) => shapeNote(source, [key], 'stands beside `hooks`, where nothing reads it', 'Move it into `hooks`.'))
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
    if (run['system'] !== undefined) lost('`system` of a judge', 'Write it into the prompt.')
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
