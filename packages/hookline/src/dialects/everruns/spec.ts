import type { EventName, FailurePolicy, Hook, Note, Run, Source } from '../../core/index.ts'
import { hookDefaults, isRecord, note, plainText } from '../../core/index.ts'
import { type Path, shapeNote, unknownEvent, unknownKeys } from '../common/config.ts'
import { byteLength, decodeMatcher } from './matcher.ts'
import { findTheirs, rowOf, theirNames } from './names.ts'

/** A hook but for its place in the chain. */
export type Sketch = Omit<Hook, 'stage' | 'id'>

export interface DecodedSpec {
  hook?: Sketch
  problems: Note[]
  notes: Note[]
}

export const policies: Record<string, FailurePolicy> = { block: 'closed', allow: 'open', warn: 'warn' }
export const timeouts = { shortest: 100, usual: 5_000, longest: 30_000 }
const mostVariables = 16
const longestCommand = 16_384

const keys = ['id', 'event', 'matcher', 'executor', 'timeout_ms', 'on_error', 'description', 'source']

/** One `UserHookSpec`: reports everything that is wrong with it at once. */
export function decodeSpec(entry: unknown, at: Path, source: Source): DecodedSpec {
  const problems: Note[] = []
  const notes: Note[] = []
  const wrong = (path: Path, detail: string, fix: string) =>
    problems.push(shapeNote(source, [...at, ...path], detail, fix))
  if (!isRecord(entry)) {
    wrong([], 'must be an object', 'Write `event` and an `executor`.')
    return { problems, notes }
  }
  notes.push(...unknownKeys(entry, keys, at, source))
  const event = readEvent(entry['event'])
  const timeoutMs = readTimeout(entry['timeout_ms'])
  const matcher = event && readMatcher(entry['matcher'], event)
  const executor = readExecutor(entry['executor'])
  const onFailure = event && readPolicy(entry['on_error'], event)
  for (const key of ['id', 'description'])
    if (!isAbsentOrText(entry[key])) wrong([key], 'must be text', 'Put it in quotes.')
  if (problems.length > 0 || !event || !matcher || !executor || !onFailure) return { problems, notes }
  const hook: Sketch = {
    ...hookDefaults,
    event,
    dialect: 'everruns',
    matcher,
    ...executor,
    timeoutMs,
    onFailure,
    judgesOnce: true,
    ...(typeof entry['description'] === 'string' && { description: entry['description'] }),
    origin: { layer: source.layer, where: source.locate(at) },
  }
  return { hook, problems, notes }

  function readEvent(value: unknown): EventName | undefined {
    if (typeof value !== 'string' || value === '') {
      wrong(['event'], value === undefined ? 'is missing' : 'must be text', `Write one of ${known.join(', ')}.`)
      return undefined
    }
    const found = findTheirs(value)
    if (!found) problems.push(unknownEvent(value, known, source.locate([...at, 'event'])))
    return found
  }

  function readTimeout(value: unknown): number {
    const { shortest, usual, longest } = timeouts
    if (value === undefined || value === null) return usual
    if (typeof value === 'number' && Number.isInteger(value) && value >= shortest && value <= longest) return value
    wrong(['timeout_ms'], `is out of range (${shortest}..=${longest})`, 'Write milliseconds, such as 5000.')
    return usual
  }

  function readMatcher(value: unknown, event: EventName): Hook['matcher'] {
    if (!rowOf(event).tool && value !== undefined && value !== null && !isEmptyRecord(value)) {
      wrong(['matcher'], `is not accepted on ${event}, which has no tool`, 'Remove it.')
      return []
    }
    const decoded = decodeMatcher(value, [...at, 'matcher'], source)
    problems.push(...decoded.problems)
    notes.push(...decoded.notes)
    return decoded.tests
  }

  function readExecutor(value: unknown): Pick<Hook, 'run' | 'env'> | undefined {
    if (!isRecord(value)) {
      const fix = 'Write `{"type": "bash", "command": "…"}`.'
      wrong(['executor'], value === undefined ? 'is missing' : 'must be an object', fix)
      return undefined
    }
    notes.push(...unknownKeys(value, ['type', 'command', 'env'], [...at, 'executor'], source))
    const { type, command, env } = value
    if (type !== 'bash') wrong(['executor', 'type'], 'must be `bash`', 'It is the only executor of Everruns.')
    else if (typeof command !== 'string') wrong(['executor', 'command'], 'must be text', 'Write a shell command.')
    else if (command.trim() === '') wrong(['executor', 'command'], 'is empty', 'Write a shell command.')
    else if (byteLength(command) > longestCommand)
      wrong(['executor', 'command'], `is longer than ${longestCommand} bytes`, 'Put it in a script.')
    return { run: runOf(plainText(command)), env: readEnv(env) }
  }

  function readEnv(value: unknown): Record<string, string> {
    if (value === undefined || value === null) return {}
    if (!isRecord(value) || Object.values(value).some((item) => typeof item !== 'string')) {
      wrong(['executor', 'env'], 'must be an object of texts', 'Write `{"NAME": "value"}`.')
      return {}
    }
    if (Object.keys(value).length > mostVariables)
      wrong(['executor', 'env'], `has more than ${mostVariables} variables`, 'Put them in one, as JSON.')
    return value as Record<string, string>
  }

  /** A block is ignored where nothing can be blocked, and so is one that stands for a failure. */
  function readPolicy(value: unknown, event: EventName): FailurePolicy {
    const policy = policies[Object.hasOwn(policies, plainText(value ?? 'warn')) ? plainText(value ?? 'warn') : '']
    if (!policy) wrong(['on_error'], 'must be `block`, `allow` or `warn`', 'Write `"on_error": "warn"`.')
    if (policy !== 'closed' || rowOf(event).blocks) return policy ?? 'warn'
    notes.push(note('cannot-fail-closed', { event }, { where: source.locate([...at, 'on_error']) }))
    return 'warn'
  }
}

/** "Runs through virtual_bash against the session VFS. No host shell." The bounds are those of its hooks. */
export const runOf = (command: string): Run => ({
  type: 'sandbox',
  command,
  output_limit: 65_536,
  limits: { commands: 200, loop_iterations: 2_000, call_depth: 32, script_bytes: 65_536 },
})

const known = Object.values(theirNames)
const isAbsentOrText = (value: unknown) => value === undefined || value === null || typeof value === 'string'
const isEmptyRecord = (value: unknown) => isRecord(value) && Object.keys(value).length === 0
