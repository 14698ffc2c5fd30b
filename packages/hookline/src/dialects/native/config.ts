import type * as z from 'zod/mini'
import type { Decoded, DecodedConfig, Explanation, Hook, Note, Source, Where } from '../../core/index.ts'
import {
  asRun,
  didYouMean,
  eventNames,
  eventRow,
  findEvent,
  hookDefaults,
  isRecord,
  note,
  plainText,
  toolRowOf,
  tools,
  validate,
} from '../../core/index.ts'
import { fileNames } from '../common/file-names.ts'
import { encodeHook } from './encode.ts'
import { decodeMatcher } from './matcher.ts'
import { madeIds, parseDuration } from './names.ts'
import { shapeProblem, unknownKeyProblem } from './problems.ts'
import { decodeRules, encodeRules, isRulesHook } from './rules.ts'
import {
  configSchema,
  disabledSchema,
  type HookEntry,
  hookSchema,
  journalSchema,
  matcherSchema,
  profileSchema,
  questionsSchema,
  settingsSchema,
  toolsSchema,
  trustSchema,
  useSchema,
  withoutClaims,
} from './schema.ts'

export function detectConfig(document: unknown, fileName: string): boolean {
  if (fileNames.native.test(fileName)) return true
  if (!isRecord(document)) return false
  const { hooks, use, rules } = document
  if (hooks !== undefined && !Array.isArray(hooks)) return false
  // No other system has bundles to use, or rules beside hooks.
  return ('version' in document && hooks !== undefined) || Array.isArray(use) || Array.isArray(rules)
}

/** Every entry is read by itself: what is wrong with one is a problem, and the others load. */
export function decodeConfig(written: unknown, source: Source): DecodedConfig {
  const decoded: DecodedConfig = { hooks: [], problems: [], notes: [] }
  if (!isRecord(written)) {
    const detail = written === undefined || written === null ? 'is empty' : 'must be an object'
    decoded.problems.push(shapeProblem(source, [], detail, 'Write `version: 1` and a list of `hooks`.'))
    return decoded
  }
  const document = withoutClaims(written, source, decoded.notes)
  const known = Object.keys(configSchema._zod.def.shape)
  for (const key of Object.keys(document).filter((key) => !known.includes(key)))
    decoded.problems.push(unknownKeyProblem(source, [key], key, known))
  if (!('version' in document))
    decoded.problems.push(shapeProblem(source, ['version'], 'is missing', 'Write `version: 1` at the top.'))
  else if (document['version'] !== 1) {
    const where = source.locate(['version'])
    decoded.problems.push(note('config-version', { version: shown(document['version']) }, { where }))
    return decoded
  }
  const read = reader(document, source, decoded)
  decodeBundles(read, source, decoded)
  decodeSettings(read, decoded)
  decodeTools(read, source, decoded)
  const watches = document['profile'] === 'watch'
  if (document['rules'] !== undefined) decodeRules(shadowed(document['rules'], watches), source, decoded)
  if (document['hooks'] === undefined && saysMore.some((key) => key in document)) return decoded
  decodeEntries(shadowed(document['hooks'], watches), source, decoded)
  return decoded
}

/** Where a file only watches, all that stands in it does. */
const shadowed = (entries: unknown, watches: boolean): unknown =>
  watches && Array.isArray(entries)
    ? entries.map((entry) => (isRecord(entry) ? { ...entry, mode: 'shadow' } : entry))
    : entries

/** A file that says one of these need not have hooks of its own. */
const saysMore = ['use', 'journal', 'trust', 'questions', 'settings', 'tools', 'rules']

type Reader = <T>(key: string, schema: z.ZodMiniType<T>) => T | undefined

/** Reads what stands under one key; what does not fit is a problem, and counts as not written. */
function reader(document: Record<string, unknown>, source: Source, decoded: DecodedConfig): Reader {
  return (key, schema) => {
    if (document[key] === undefined) return undefined
    const parsed = validate(schema, document[key])
    if (parsed.ok) return parsed.value
    for (const { path, detail, fix } of parsed.problems)
      decoded.problems.push(shapeProblem(source, [key, ...path], detail, fix))
    return undefined
  }
}

function decodeSettings(read: Reader, decoded: DecodedConfig): void {
  const [journal, trust] = [read('journal', journalSchema), read('trust', trustSchema)]
  const questions = read('questions', questionsSchema)
  const { snapshot } = read('settings', settingsSchema) ?? {}
  const settings = {
    ...(journal !== undefined && { journal }),
    ...(trust && { trust }),
    ...(questions && { questions }),
    ...(snapshot !== undefined && { snapshot }),
  }
  if (Object.keys(settings).length > 0) decoded.settings = settings
}

/** What a tool that we know does is in our table; a file that says otherwise would hide it. */
function decodeTools(read: Reader, source: Source, decoded: DecodedConfig): void {
  const declared = Object.entries(read('tools', toolsSchema) ?? {})
  const own = declared.filter(([tool]) => {
    const known = Object.hasOwn(tools, tool)
    if (known) decoded.problems.push(note('tool-known', { tool }, { where: source.locate(['tools', tool]) }))
    return !known
  })
  if (own.length > 0) decoded.tools = Object.fromEntries(own.map(([tool, entry]) => [tool, toolRowOf(entry)]))
}

function decodeBundles(read: Reader, source: Source, decoded: DecodedConfig): void {
  const profile = read('profile', profileSchema)
  const uses = read('use', useSchema) ?? []
  decoded.uses = uses.map((entry, index) => ({
    bundle: typeof entry === 'string' ? entry : entry.bundle,
    given: { ...(profile && { profile }), ...(typeof entry === 'string' ? {} : entry.with) },
    where: source.locate(['use', index]),
  }))
  const muted = read('disabled', disabledSchema) ?? []
  decoded.muted = muted.map((pattern, index) => ({ pattern, where: source.locate(['disabled', index]) }))
}

/** What native cannot say is left out, and noted. */
export function encodeConfig(hooks: readonly Hook[]): Decoded<unknown> {
  const encoded = hooks.filter((hook) => !isRulesHook(hook)).map(encodeHook)
  const rules = encodeRules(hooks.filter(isRulesHook))
  return {
    value: { version: 1, ...(rules.length > 0 && { rules }), hooks: encoded.map(({ value }) => value) },
    notes: encoded.flatMap(({ notes }) => notes),
  }
}

function decodeEntries(entries: unknown, source: Source, decoded: DecodedConfig): void {
  if (!Array.isArray(entries)) {
    const detail = entries === undefined ? 'is missing' : 'must be a list'
    decoded.problems.push(shapeProblem(source, ['hooks'], detail, 'Write a list of hooks; `hooks: []` for none.'))
    return
  }
  const makeId = madeIds(entries)
  const firstUse = new Map<string, number>()
  for (const [index, entry] of entries.entries()) {
    const before = decoded.problems.length
    const hook = decodeHook(entry, index, source, decoded, makeId)
    const id = isRecord(entry) && typeof entry['id'] === 'string' ? entry['id'] : undefined
    const first = id === undefined ? undefined : firstUse.get(id)
    if (id !== undefined && first !== undefined)
      decoded.problems.push(
        note(
          'duplicate-id',
          { id, first: describePlace(source, first) },
          { where: source.locate(['hooks', index, 'id']) },
        ),
      )
    else if (id !== undefined) firstUse.set(id, index)
    if (hook && decoded.problems.length === before) decoded.hooks.push(hook)
  }
}

/** Reports everything that is wrong with the entry, not just the first thing. */
function decodeHook(
  entry: unknown,
  index: number,
  source: Source,
  decoded: DecodedConfig,
  makeId: (event: string) => string,
): Hook | undefined {
  const at = (path: readonly (string | number)[]) => source.locate(['hooks', index, ...path])
  const misshapen = (key: string[], detail: string, fix: string) =>
    decoded.problems.push(shapeProblem(source, ['hooks', index, ...key], detail, fix))

  const parsed = validate(hookSchema, entry)
  if (!parsed.ok)
    for (const explanation of parsed.problems) decoded.problems.push(entryProblem(source, index, entry, explanation))
  if (!isRecord(entry) || typeof entry['event'] !== 'string' || entry['event'] === '') return undefined

  const event = findEvent(entry['event'])
  if (!event) {
    decoded.problems.push(unknownEvent(entry['event'], at(['event'])))
    return undefined
  }
  const shape = parsed.ok ? parsed.value.matcher : matcherSchema.safeParse(entry['matcher'] ?? {}).data
  const matcher = decodeMatcher(shape ?? {}, event, (path) => at(['matcher', ...path]))
  decoded.problems.push(...matcher.problems)
  decoded.notes.push(...matcher.notes)
  if (entry['on_failure'] === 'closed' && !eventRow(event).effects.includes('decision'))
    decoded.problems.push(note('cannot-fail-closed', { event }, { where: at(['on_failure']) }))
  if (entry['on_failure'] === 'closed' && entry['background'] === true)
    misshapen(
      ['background'],
      'is set, so nobody waits for the hook and it cannot fail closed',
      'Remove `background`, or use `on_failure: warn`.',
    )
  if (!parsed.ok) return undefined

  const hook = parsed.value
  const run = asRun(hook.run)
  if (typeof run['command'] === 'string' && run['command'].trim() === '')
    misshapen(['run', 'command'], 'is empty: there is nothing to run', 'Write a command.')
  const timeoutMs = hook.timeout === undefined ? hookDefaults.timeoutMs : parseDuration(hook.timeout)
  if (timeoutMs === undefined) {
    misshapen(['timeout'], 'must be more than nothing and at most a day', 'Write seconds, such as 30.')
    return undefined
  }
  return {
    ...hookDefaults,
    id: hook.id ?? makeId(event),
    event,
    dialect: 'native',
    matcher: matcher.tests,
    run,
    timeoutMs,
    ...given(hook),
    origin: { layer: source.layer, where: at([]) },
  }
}

/** An absent key stays absent. */
function given(entry: HookEntry): Partial<Hook> {
  const fields: Record<string, unknown> = {}
  for (const [key, name] of optional) if (entry[name] !== undefined) fields[key] = entry[name]
  return fields
}

/** What a hook may have besides, and what the config calls it. */
const optional = Object.entries({
  onFailure: 'on_failure',
  mode: 'mode',
  background: 'background',
  stage: 'stage',
  enabled: 'enabled',
  env: 'env',
  workingDir: 'working_dir',
  description: 'description',
  canary: 'canary',
} as const satisfies Partial<Record<keyof Hook, keyof HookEntry>>)

/** All names only when none is near: thirty-six of them hide the one that helps. */
function unknownEvent(name: string, where: Where): Note {
  const hint = didYouMean(name, eventNames)
  const known = hint === '' ? eventNames.join(', ') : 'docs/events.md lists them'
  return note('unknown-event', { event: name, hint, known }, { where })
}

function entryProblem(source: Source, index: number, entry: unknown, explanation: Explanation): Note {
  const path = ['hooks', index, ...explanation.path]
  const { unknownKey, detail, fix } = explanation
  const id = isRecord(entry) && explanation.path[0] === 'id' ? entry['id'] : undefined
  if (typeof id === 'string') return note('invalid-id', { id }, { where: source.locate(path) })
  if (!unknownKey) return shapeProblem(source, path, detail, fix)
  const astray = explanation.path.length === 1 && isRecord(entry) && !('run' in entry)
  return unknownKeyProblem(source, path, unknownKey.key, unknownKey.known, astray ? ' What to run goes in `run`.' : '')
}

function describePlace(source: Source, index: number): string {
  const { line } = source.locate(['hooks', index, 'id'])
  return line === undefined ? `hooks[${index}]` : `line ${line}`
}

function shown(value: unknown): string {
  return typeof value === 'string'
    ? `"${value.slice(0, 40)}"`
    : isRecord(value)
      ? 'an object'
      : plainText(value).slice(0, 40)
}
