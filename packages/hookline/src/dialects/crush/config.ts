import type {
  Decoded,
  DecodedConfig,
  EventName,
  Hook,
  MatchTest,
  Note,
  Source,
  TextTest,
  Where,
} from '../../core/index.ts'
import { hookDefaults, isRecord } from '../../core/index.ts'
import { quoteWords } from '../../shell/index.ts'
import { idMaker, longestSeconds, type Path, shapeNote, unknownEvent, unknownKeys } from '../common/config.ts'
import { type Lost, noteLost, noteLostTests, noteLostTraits, usualAdvice } from '../common/encode.ts'
import { fileNames } from '../common/file-names.ts'
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
  const { topLevelOnly: _alike, ...adviceHere } = usualAdvice
  noteLostTraits(hook, 'crush', lost, {
    ...adviceHere,
    language: 'Let the command read the payload of Crush and answer as Crush expects.',
    failsClosed: 'A failing hook lets the call go on there.',
    subAgents: 'Only calls of the top-level agent are hooked there.',
    background: 'The call waits for the hook there.',
  })
  noteLostTests(hook, lost)
}

/** "Regex tested against the tool name", found anywhere in it: `bash` also matches `bash_output`. None matches all. */
export function decodeMatcher(matcher: string, where: Where): MatchTest[] {
  if (matcher === '') return []
  const names = wholeNames.exec(matcher)?.slice(1).find(Boolean)?.split('|')
  return [{ facet: 'tool', test: names ? { names } : { regex: matcher, whole: false }, where }]
}

export function encodeMatcher(test: TextTest): string {
  if ('any' in test) return ''
  if ('regex' in test) return test.whole ? `^(?:${test.regex})$` : test.regex
  const prefixes = test.prefixes ?? []
  const names = test.names.map(escaped)
  if (prefixes.length > 0) return `^(${[...names.map((name) => `${name}$`), ...prefixes.map(escaped)].join('|')})`
  return names.length === 1 ? `^${names[0]}$` : `^(${names.join('|')})$`
}

/** Anchored at both ends and nothing but names: no regex engine is needed to test that. */
const wholeNames = /^\^(?:([\w-]+)|\((?:\?:)?([\w-]+(?:\|[\w-]+)*)\))\$$/

const escaped = (name: string) => name.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')
