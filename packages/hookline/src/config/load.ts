import { basename, dirname, join, resolve } from 'node:path'
import {
  type Dialect,
  type Hook,
  HooklineError,
  type Layer,
  type Muting,
  type Note,
  note,
  type Settings,
  settingLayers,
  type ToolRow,
  type Where,
} from '../core/index.ts'
import { type Dialects, dialectOfDocument, dialectOfFile, ourDialects } from '../dialects/index.ts'
import { configVariable } from '../platform/index.ts'
import { type Bundles, isBundleFile, withBundles } from './bundles.ts'
import { parseConfig } from './parse.ts'
import { checkLength, markOf, readText } from './read-file.ts'
import { type AloneEntry, muteDownwards, settle } from './settle.ts'
import type { Path } from './tree.ts'

export interface ConfigSource {
  layer: Layer
  /** The system the file was written for; absent: found by name and shape. */
  dialect?: string
  /** The system it was probably written for, where neither its name nor its shape says so. */
  likely?: string
  /** Bundles that the file may use by name. */
  bundles?: Bundles
  /** The systems it may be written for; absent: those we know. */
  dialects?: Dialects
  /** The content, when it is at hand already; the file is then only a name. */
  text?: string
}

export interface LoadedConfig {
  file: string
  layer: Layer
  repository?: string
  /** Absent when the file could not be read so far. */
  text?: string
  /** It amounts to this whenever it has this text: it names no other file and no variable. */
  lasting: boolean
  /** Absent when the file could not be read so far. */
  dialect?: string
  hooks: Hook[]
  /** Everything that is wrong: a broken entry each, or why the file as a whole could not be read. */
  problems: Note[]
  /** Those of the problems that leave all other entries alone. */
  alone: readonly AloneEntry[]
  notes: Note[]
  /** What it wants muted, in its own layer and below; nothing is muted yet. */
  muted: readonly Muting[]
  settings: Settings
  /** When it amounts to something else, though nothing was changed. */
  until?: number
  /** Tools of its own that it declares. */
  tools?: Readonly<Record<string, ToolRow>>
  /** What was found in the file, and in the bundles that it names by their paths. */
  reads: ReadonlyMap<string, string>
  /** Where a path of keys is written; a value under a key is found at its key. */
  locate(path: Path): Where
  /** Where a part of one of these hooks is written, such as `['run', 'command']`; undefined for hooks of others. */
  locateIn(hook: Hook, path: Path): Where | undefined
}

/** More than this is not a config but an accident. */
export const maxHooks = 10_000

/**
 * Reads one config file. Strict: any problem throws, and the error lists them all. Lenient: what is broken is skipped, with
 * a note each. By default strict, but for entries of a system that reads each by itself.
 */
export async function loadConfig(
  file: string,
  { strict, ...source }: ConfigSource & { strict?: boolean },
): Promise<LoadedConfig> {
  const config = await readConfig(file, source)
  const { hooks, notes } = muteDownwards([config])
  return { ...config, hooks, notes: [...config.notes, ...notes, ...settle(config.problems, strict, config.alone)] }
}

/** The same without judgement: the problems are listed, for callers who read several files before they decide. */
export async function readConfig(file: string, source: ConfigSource): Promise<LoadedConfig> {
  const read = source.text === undefined ? await readText(file) : checkLength(source.text, file)
  const reads = new Map(source.text === undefined ? [[resolve(file), markOf(read)]] : [])
  const broken = (problem: Note) => brokenConfig(file, source.layer, problem, reads)
  if (!read.ok) return broken(read.problem)
  const parsed = await parseConfig(read.text, file, source.dialect ?? dialectOfFile(basename(file)) ?? source.likely)
  if (!parsed.ok) return broken(parsed.problem)
  const dialect = await findDialect(parsed.document, file, source)
  if ('code' in dialect) return broken({ ...dialect, where: parsed.locate([]) })

  // A place remembers its path, so that a hook's parts can be found from its origin.
  const paths = new WeakMap<Where, Path>()
  const locate = (path: Path): Where => {
    const where = parsed.locate(path)
    paths.set(where, path)
    return where
  }
  let lasting = true
  const variable = (name: string) => {
    lasting = false
    return configVariable(name)
  }
  const beside = source.text === undefined ? await readBeside(file, dialect.config.beside, reads) : undefined
  const decoding = { file, layer: source.layer, locate, variable, ...(beside !== undefined && { beside }) }
  const own = dialect.config.decode(parsed.document, decoding)
  if (own.uses?.some(({ bundle }) => isBundleFile(bundle))) lasting = false
  const decoded = own.uses ? await withBundles(own, dialect, decoding, source.bundles ?? {}, reads) : own
  const count = decoded.hooks.length + decoded.problems.length
  if (count > maxHooks) return broken(tooMany(count, file))
  return {
    file,
    layer: source.layer,
    text: read.text,
    lasting,
    dialect: dialect.name,
    hooks: decoded.hooks,
    notes: decoded.notes,
    reads,
    muted: decoded.muted ?? [],
    settings: settingLayers.has(source.layer) ? (decoded.settings ?? {}) : {},
    ...(decoded.tools && { tools: decoded.tools }),
    problems: decoded.problems.toSorted(byPlace),
    alone: dialect.config.eachAlone
      ? (own.broken ?? []).map((entry) => ({ ...entry, dialect: dialect.name, layer: source.layer }))
      : [],
    locate,
    locateIn(hook, path) {
      const own = hook.origin.where && paths.get(hook.origin.where)
      return own && locate([...own, ...path])
    },
  }
}

/** The named dialect, or the only one that takes the document for its own; or why there is none. */
async function findDialect(
  document: unknown,
  file: string,
  { dialect: wanted, likely, dialects: { names: known, load } = ourDialects }: ConfigSource,
): Promise<Dialect | Note> {
  const named = wanted ?? dialectOfDocument(document, basename(file))
  if (named !== undefined) return load(named).catch(problemOf)
  const all = await Promise.all(known.map(load))
  const fitting = all.filter((dialect) => dialect.config.detect(document, basename(file)))
  const probable = all.find(({ name }) => name === likely)
  if (probable && (fitting.length !== 1 || fitting.includes(probable))) return probable
  if (fitting.length === 1) return fitting[0]!
  const names = fitting.map((dialect) => `\`${dialect.name}\``)
  const hint = names.length > 1 ? ` It could be ${names.join(' or ')}.` : ''
  return note('config-dialect', { hint, known: known.join(', ') })
}

/** What stands in the other file that a dialect goes by; undefined where there is none, or none that can be read. */
async function readBeside(file: string, name: string | undefined, reads: Map<string, string>): Promise<unknown> {
  if (name === undefined) return undefined
  for (const ending of ['.yaml', '.yml']) {
    const other = join(dirname(file), name + ending)
    const read = await readText(other)
    reads.set(resolve(other), markOf(read))
    if (!read.ok) continue
    const parsed = await parseConfig(read.text, other)
    if (parsed.ok) return parsed.document
  }
  return undefined
}

/** In the order in which a person meets them in the file. */
function byPlace({ where: one }: Note, { where: other }: Note): number {
  return (one?.line ?? 0) - (other?.line ?? 0) || (one?.column ?? 0) - (other?.column ?? 0)
}

function problemOf(error: unknown): Note {
  if (error instanceof HooklineError && error.notes[0]) return error.notes[0]
  throw error
}

function brokenConfig(file: string, layer: Layer, problem: Note, reads: ReadonlyMap<string, string>): LoadedConfig {
  const nothing = { lasting: false, hooks: [], alone: [], notes: [], muted: [], settings: {} }
  return {
    file,
    layer,
    ...nothing,
    reads,
    problems: [problem],
    locate: () => ({ file }),
    locateIn: () => undefined,
  }
}

function tooMany(count: number, file: string): Note {
  const words = (number: number) => `${number.toLocaleString('en')} hooks`
  return note('config-too-large', { size: words(count), limit: words(maxHooks) }, { where: { file } })
}
