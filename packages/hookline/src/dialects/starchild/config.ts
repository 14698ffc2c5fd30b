import type { Decoded, DecodedConfig, EventName, Hook, Note, Run, Source } from '../../core/index.ts'
import { hookDefaults, isRecord } from '../../core/index.ts'
import { quoteWords, splitWords } from '../../shell/index.ts'
import { idMaker, type Path, shapeNote, unknownEvent, unknownKeys } from '../common/config.ts'
import { type Lost, noteLost, noteLostTraits, usualAdvice } from '../common/encode.ts'
import { fileNames } from '../common/file-names.ts'
import { findTheirs, theirNames } from './names.ts'

/** Seconds: "default 20, max 120". */
export const timeouts = { usual: 20, longest: 120 }

/** `shell_hooks.yaml`, a file of its shape with its events, or an `agent.yaml` with the master switch. */
export function detectConfig(document: unknown, fileName: string): boolean {
  if (fileNames.starchild.test(fileName)) return true
  if (!isRecord(document) || 'version' in document) return false
  if (isRecord(document['shell_hooks'])) return true
  const { hooks } = document
  return Array.isArray(hooks) && hooks.length > 0 && hooks.every(isEntry)
}

/** A chain: each hook sees what the ones before made of it. */
export function decodeConfig(document: unknown, source: Source): DecodedConfig {
  const decoded: DecodedConfig = { hooks: [], problems: [], notes: [] }
  if (!isRecord(document) && document !== null && document !== undefined) {
    decoded.problems.push(shapeNote(source, [], 'must be a mapping', example))
    return decoded
  }
  const { entries, at } = hooksOf(document ?? {})
  if (!Array.isArray(entries)) {
    decoded.problems.push(shapeNote(source, at, 'must be a list of hooks', example))
    return decoded
  }
  const makeId = idMaker()
  const enabled = !switchedOff(document ?? {}, entries.length, source, decoded)
  for (const [index, entry] of entries.entries()) {
    const sketch = decodeEntry(entry, [...at, index], source, decoded)
    if (sketch) decoded.hooks.push({ ...sketch, id: makeId(sketch.event), stage: decoded.hooks.length, enabled })
  }
  return decoded
}

function hooksOf(document: Record<string, unknown>): { entries: unknown; at: Path } {
  const { hooks, shell_hooks } = document
  if (hooks === undefined && isRecord(shell_hooks))
    return { entries: shell_hooks['hooks'] ?? [], at: ['shell_hooks', 'hooks'] }
  return { entries: hooks ?? [], at: ['hooks'] }
}

/** The master switch: `shell_hooks.enabled` as in `agent.yaml`, or `enabled` beside the hooks. */
function switchedOff(
  document: Record<string, unknown>,
  count: number,
  source: Source,
  decoded: DecodedConfig,
): boolean {
  const { enabled, shell_hooks } = document
  const nested = isRecord(shell_hooks) ? shell_hooks['enabled'] : undefined
  const at = nested === undefined || nested === null ? ['enabled'] : ['shell_hooks', 'enabled']
  const value = nested ?? enabled ?? besideSwitch(source) ?? true
  if (typeof value !== 'boolean')
    decoded.problems.push(shapeNote(source, at, 'must be true or false', 'Write `enabled: true`.'))
  if (value !== false) return false
  decoded.notes.push(shapeNote(source, at, `is off, so none of its hooks runs (${count})`, 'Set it to `true`.'))
  return true
}

/** "Master switch: `shell_hooks.enabled` in workspace/config/agent.yaml." */
function besideSwitch({ beside }: Source): unknown {
  return isRecord(beside) && isRecord(beside['shell_hooks']) ? beside['shell_hooks']['enabled'] : undefined
}

type Sketch = Omit<Hook, 'id' | 'stage' | 'enabled'>

function decodeEntry(entry: unknown, at: Path, source: Source, decoded: DecodedConfig): Sketch | undefined {
  const problems: Note[] = []
  const wrong = (key: string, detail: string, fix: string) =>
    problems.push(shapeNote(source, [...at, key], detail, fix))
  const remark = (key: string, detail: string, fix: string) =>
    decoded.notes.push(shapeNote(source, [...at, key], detail, fix))
  if (!isRecord(entry)) {
    decoded.problems.push(shapeNote(source, at, 'must be a mapping', example))
    return undefined
  }
  decoded.notes.push(...unknownKeys(entry, keys, at, source))
  const event = readEvent(entry['event'])
  const run = readRun(entry)
  const timeoutMs = readTimeout(entry['timeout'])
  const { matcher } = entry
  if (matcher !== undefined && matcher !== null && typeof matcher !== 'string')
    wrong('matcher', 'must be text', 'Write a regex in quotes, or leave it out.')
  decoded.problems.push(...problems)
  if (problems.length > 0 || !event || !run) return undefined
  const where = source.locate([...at, 'matcher'])
  return {
    ...hookDefaults,
    event,
    dialect: 'starchild',
    // "Optional regex; script only spawns on a match (perf gate)": of the text of the payload.
    matcher: matcher ? [{ facet: 'text', test: { regex: matcher as string, whole: false }, where }] : [],
    run,
    timeoutMs,
    // "A script that errors, times out, or prints non-JSON falls through to continue."
    onFailure: 'open',
    judgesOnce: true,
    origin: { layer: source.layer, where: source.locate(at) },
  }

  function readEvent(value: unknown): EventName | undefined {
    if (typeof value !== 'string' || value === '') {
      wrong('event', 'is missing', example)
      return undefined
    }
    const found = findTheirs(value)
    if (!found) problems.push(unknownEvent(value, Object.values(theirNames), source.locate([...at, 'event'])))
    return found
  }

  function readRun({ type, command, url, allow_local }: Record<string, unknown>): Run | undefined {
    if ((type ?? 'command') === 'command') return readCommand(command)
    if (type !== 'http') wrong('type', 'must be `command` or `http`', 'Leave it out for a command.')
    else if (typeof url !== 'string' || url === '') wrong('url', 'is missing', 'Write `url: https://…`.')
    else return { type: 'http', url, ...((allow_local === true || mayBeLocal(source)) && { allow_local: true }) }
    return undefined
  }

  function readCommand(command: unknown): Run | undefined {
    if (typeof command !== 'string' || command.trim() === '') {
      wrong('command', 'is missing: there is nothing to run', 'Write the absolute path of a script.')
      return undefined
    }
    const argv = splitWords(command)
    if (!argv.ok) {
      wrong('command', `cannot be split into words: ${argv.detail}`, 'Correct the quotes; there is no shell.')
      return undefined
    }
    const [program = '', ...args] = argv.words
    const script = relativeScript(argv.words)
    if (script !== undefined)
      remark(
        'command',
        `names \`${script}\` by a relative path, which is found only from the right directory; when it is not, nothing is checked`,
        'Write the absolute path.',
      )
    // "from core.http_client import proxied_post" works in every script.
    return { type: 'command', command: program, args, lend_python: true }
  }

  function readTimeout(value: unknown): number {
    const { usual, longest } = timeouts
    if (value === undefined || value === null) return usual * 1_000
    if (typeof value !== 'number' || !(value > 0))
      wrong('timeout', 'must be a number of seconds', 'Write `timeout: 10`.')
    else if (value <= longest) return Math.round(value * 1_000)
    else remark('timeout', `is more than ${longest} seconds, so ${longest} counts`, `Write at most ${longest}.`)
    return longest * 1_000
  }
}

/** "Set STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL=1 only to intentionally hit a local service"; a project never may. */
const mayBeLocal = ({ layer, variable }: Source) =>
  variable?.('STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL') === '1' && layer !== 'project' && layer !== 'local'

/** `allow_local` is ours: what its variable does, for one hook. */
const keys = ['event', 'matcher', 'type', 'command', 'url', 'timeout', 'allow_local']
const example = 'Write `hooks:` and under it `- event: pre_tool_call` with a `command:`.'

const isEntry = (entry: unknown) =>
  isRecord(entry) && typeof entry['event'] === 'string' && findTheirs(entry['event']) !== undefined && !('run' in entry)

/** A `shell_hooks.yaml`, in the order in which hooks run. */
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
  const { shadow, background, unlessRuled, topLevelOnly } = usualAdvice
  noteLostTraits(hook, 'starchild', lost, {
    language: 'Let the script read and answer as Starchild expects.',
    failsClosed: 'A failing hook lets everything go on there.',
    workingDir: 'Use absolute paths.',
    env: 'Set the variables in the script.',
    ...{ shadow, background, unlessRuled, topLevelOnly },
  })
  if (hook.matcher.some(({ facet, test, negate }) => facet !== 'text' || !('regex' in test) || negate))
    lost('A test of its matcher', 'The hook runs more often there; let the script look at the payload.')
}

/**
 * The word that names the script, if it does so by a relative path: the program, or the file an interpreter is given.
 * The document warns that such a hook cannot be started and, failing open, silently protects nothing.
 */
export function relativeScript([program = '', ...args]: readonly string[]): string | undefined {
  if (program.includes('/')) return isAbsolute(program) ? undefined : program
  const script = args.find((word) => !word.startsWith('-'))
  return script !== undefined && looksLikeFile(script) && !isAbsolute(script) ? script : undefined
}

const isAbsolute = (path: string) => /^(?:\/|[A-Za-z]:[\\/])/.test(path)
const looksLikeFile = (word: string) =>
  /^[^\s:;|&<>$()]+$/.test(word) && (word.includes('/') || /\.\w{1,4}$/.test(word))
