import type { Decoded, DecodedConfig, EventName, Hook, Note, Source } from '../../core/index.ts'
import { hookDefaults, isRecord, note } from '../../core/index.ts'
import { quoteWords } from '../../shell/index.ts'
import { idMaker, longestSeconds, type Path, shapeNote, unknownEvent, unknownKeys } from '../common/config.ts'
import { type Lost, noteLost, noteLostTests, noteLostTraits, usualAdvice } from '../common/encode.ts'
import { decodeMatcher, encodeMatcher } from '../crush/config.ts'
import { findTheirs, rowOf, theirName, theirNames } from './names.ts'

/** Its API is code; this is the same fields as a list. Starchild's entries look alike, but have events of their own. */
export function detectConfig(document: unknown, fileName: string): boolean {
  if (/^\.?pydantic[-_]deep[\w.-]*\.(?:json|jsonc|ya?ml)$/.test(fileName)) return true
  if (!isRecord(document) || 'version' in document || !Array.isArray(document['hooks'])) return false
  return document['hooks'].length > 0 && document['hooks'].every(isEntry)
}

/** "Hooks run in order": a stage each, so that each sees the modifications of those before. */
export function decodeConfig(document: unknown, source: Source): DecodedConfig {
  const decoded: DecodedConfig = { hooks: [], problems: [], notes: [] }
  const makeId = idMaker()
  const base = Array.isArray(document) ? [] : ['hooks']
  const entries = Array.isArray(document) ? document : isRecord(document) ? (document['hooks'] ?? []) : undefined
  if (isRecord(document)) decoded.notes.push(...unknownKeys(document, ['hooks'], [], source))
  if (!Array.isArray(entries)) {
    decoded.problems.push(
      shapeNote(source, isRecord(document) ? base : [], 'must be a list of hooks', `Write ${example}`),
    )
    return decoded
  }
  for (const [index, entry] of entries.entries()) {
    const at = [...base, index]
    const event = readEvent(entry, at, source, decoded.problems)
    const problems = isRecord(entry) ? entryProblems(entry, at, source) : []
    decoded.problems.push(...problems)
    if (!isRecord(entry)) continue
    decoded.notes.push(...unknownKeys(entry, keys, at, source))
    if (event && problems.length === 0) decoded.hooks.push(hookOf(entry, event, at))
  }
  return decoded

  function hookOf(entry: Record<string, unknown>, event: EventName, at: Path): Hook {
    const { command, matcher, timeout, background } = entry
    const isTool = rowOf(event).tool
    const where = source.locate([...at, 'matcher'])
    if (typeof matcher === 'string' && !isTool)
      decoded.notes.push(note('matcher-ignored', { detail: `${theirName(event)} has no tool` }, { where }))
    return {
      ...hookDefaults,
      id: makeId(event),
      event,
      dialect: 'pydantic-deep',
      matcher: isTool && typeof matcher === 'string' ? decodeMatcher(matcher, where) : [],
      run: { type: 'command', command },
      timeoutMs: typeof timeout === 'number' ? Math.round(timeout * 1_000) : hookDefaults.timeoutMs,
      // An exit code that is neither allows; so does a command that cannot be run.
      onFailure: 'open',
      judgesOnce: true,
      background: background === true,
      stage: decoded.hooks.length,
      origin: { layer: source.layer, where: source.locate(at) },
    }
  }
}

const keys = ['event', 'command', 'matcher', 'timeout', 'background']
const example = '`{"hooks": [{"event": "pre_tool_use", "command": "…"}]}`.'

const isEntry = (entry: unknown) =>
  isRecord(entry) &&
  typeof entry['event'] === 'string' &&
  findTheirs(entry['event']) !== undefined &&
  !['run', 'executor', 'type', 'url'].some((key) => key in entry)

function readEvent(entry: unknown, at: Path, source: Source, problems: Note[]): EventName | undefined {
  const event = isRecord(entry) ? entry['event'] : undefined
  const found = typeof event === 'string' ? findTheirs(event) : undefined
  if (typeof event === 'string' && !found)
    problems.push(unknownEvent(event, Object.values(theirNames), source.locate([...at, 'event'])))
  else if (!isRecord(entry)) problems.push(shapeNote(source, at, 'must be an object', `Write ${example}`))
  else if (!found)
    problems.push(shapeNote(source, [...at, 'event'], 'must be the name of an event', `Write ${example}`))
  return found
}

function entryProblems(entry: Record<string, unknown>, at: Path, source: Source): Note[] {
  const problems: Note[] = []
  const wrong = (key: string, detail: string, fix: string) =>
    problems.push(shapeNote(source, [...at, key], detail, fix))
  const { command, matcher, timeout, background } = entry
  if (typeof command !== 'string' || command.trim() === '')
    wrong('command', 'is missing: there is nothing to run', 'handler' in entry ? inCode : 'Write a shell command.')
  if (matcher !== undefined && matcher !== null && typeof matcher !== 'string')
    wrong('matcher', 'must be text', 'Write a regex of the tool name, or leave it out to match all.')
  if (timeout !== undefined && timeout !== null && !isSeconds(timeout))
    wrong('timeout', 'must be a number of seconds', 'Write `"timeout": 30`.')
  if (background !== undefined && background !== null && typeof background !== 'boolean')
    wrong('background', 'must be true or false', 'Write `"background": true`.')
  return problems
}

const inCode = 'A handler is code: use the constructors of `hookline/compat/pydantic-deep`.'
const isSeconds = (value: unknown) => typeof value === 'number' && value > 0 && value <= longestSeconds

/** The fields of its `Hook`, as a list in the order in which hooks run. */
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
  const { shadow, unlessRuled, workingDir, env } = usualAdvice
  noteLostTraits(hook, 'pydantic-deep', lost, {
    language: 'Let the command read and answer as pydantic-deep expects.',
    failsClosed: 'A failing command lets the call go on there.',
    topLevelOnly: 'Give the hook to the top agent only.',
    ...{ shadow, unlessRuled, workingDir, env },
  })
  noteLostTests(hook, lost)
}
