import {
  type DecodedConfig,
  type EventName,
  type Hook,
  hookDefaults,
  isRecord,
  type Note,
  type Source,
} from '../../core/index.ts'
import { fileNames } from '../common/file-names.ts'
import { idMaker, longestSeconds, type Path, shapeNote, unknownEvent, unknownKeys } from '../common/reading.ts'
import { decodeMatcher } from './matcher.ts'
import { findTheirs, theirNames } from './names.ts'

/** `crush.json`, or a file of its shape: lists of commands by event, without the types and groups others have. */
export function detectConfig(document: unknown, fileName: string): boolean {
  if (fileNames.crush.test(fileName)) return true
  if (!isRecord(document) || !isRecord(document['hooks'])) return false
  const lists = Object.values(document['hooks'])
  return lists.length > 0 && lists.every((entries) => Array.isArray(entries) && entries.every(isEntry))
}

export function decodeConfig(document: unknown, source: Source): DecodedConfig {
  const decoded: DecodedConfig = { hooks: [], problems: [], notes: [] }
  const makeId = idMaker()
  const hooks = isRecord(document) ? (document['hooks'] ?? {}) : undefined
  if (!isRecord(hooks)) {
    const path = isRecord(document) ? ['hooks'] : []
    decoded.problems.push(shapeNote(source, path, 'must be an object', `Write ${example}`))
    return decoded
  }
  for (const [name, entries] of Object.entries(hooks)) decodeEvent(name, entries)
  return decoded

  function decodeEvent(name: string, entries: unknown): void {
    const event = findTheirs(name)
    if (event === undefined)
      decoded.problems.push(unknownEvent(name, Object.values(theirNames), source.locate(['hooks', name])))
    else if (!Array.isArray(entries))
      decoded.problems.push(shapeNote(source, ['hooks', name], 'must be a list of hooks', `Write ${example}`))
    else
      entries.forEach((entry, index) => {
        const hook = decodeEntry(entry, ['hooks', name, index], event)
        if (hook) decoded.hooks.push(hook)
      })
  }

  function decodeEntry(entry: unknown, at: Path, event: EventName): Hook | undefined {
    const problems = entryProblems(entry, at, source)
    decoded.problems.push(...problems)
    if (!isRecord(entry)) return undefined
    decoded.notes.push(...unknownKeys(entry, entryKeys, at, source))
    if (problems.length > 0) return undefined
    const { name, matcher, command, timeout } = entry
    return {
      ...hookDefaults,
      id: makeId(event),
      event,
      dialect: 'crush',
      matcher: decodeMatcher((matcher as string | undefined) ?? '', source.locate([...at, 'matcher'])),
      run: runOf(command as string),
      timeoutMs: typeof timeout === 'number' && timeout > 0 ? timeout * 1_000 : hookDefaults.timeoutMs,
      ...fixed(command as string),
      ...(typeof name === 'string' && name !== '' ? { description: name } : {}),
      origin: { layer: source.layer, where: source.locate(at) },
    }
  }
}

/** "Run through Crush's embedded POSIX shell", which is bash-compatible and has `jq` built in. */
export const runOf = (command: string): Hook['run'] => ({ type: 'command', command, shell: 'auto', lend_jq: true })

/** What Crush does with every hook. */
export function fixed(command: string): Pick<Hook, 'onFailure' | 'judgesOnce' | 'topLevelOnly' | 'dedupe'> {
  return {
    // "Non-blocking error. Logged and ignored; the tool call proceeds."
    onFailure: 'open',
    judgesOnce: true,
    // "Hooks only fire on the top-level agent's tool calls."
    topLevelOnly: true,
    // "Deduplicates by `command` (identical commands run once)."
    dedupe: `crush ${command}`,
  }
}

const entryKeys = ['name', 'matcher', 'command', 'timeout']
const example = '`{"hooks": {"PreToolUse": [{"command": "…"}]}}`.'

const isEntry = (entry: unknown) =>
  isRecord(entry) && typeof entry['command'] === 'string' && !('type' in entry) && !('hooks' in entry)

function entryProblems(entry: unknown, at: Path, source: Source): Note[] {
  if (!isRecord(entry)) return [shapeNote(source, at, 'must be an object with a `command`', `Write ${example}`)]
  const problems: Note[] = []
  const wrong = (key: string, detail: string, fix: string) =>
    problems.push(shapeNote(source, [...at, key], detail, fix))
  const { name, matcher, command, timeout } = entry
  if (command === undefined || command === null || (typeof command === 'string' && command.trim() === ''))
    wrong('command', 'is required: there is nothing to run', 'hooks' in entry ? groupFix : 'Write a shell command.')
  else if (typeof command !== 'string') wrong('command', 'must be text', 'Write a shell command in quotes.')
  if (matcher !== undefined && matcher !== null && typeof matcher !== 'string')
    wrong('matcher', 'must be text', 'Write a regex of the tool name, or leave it out to match all.')
  if (name !== undefined && name !== null && typeof name !== 'string') wrong('name', 'must be text', 'Use quotes.')
  if (timeout !== undefined && timeout !== null && !isSeconds(timeout))
    wrong('timeout', 'must be a number of seconds', 'Write `"timeout": 10`, or leave it out for 30.')
  return problems
}

const groupFix = 'Crush has no groups of hooks: write `matcher` and `command` in one object.'
const isSeconds = (value: unknown) => typeof value === 'number' && value <= longestSeconds
