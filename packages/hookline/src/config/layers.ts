import { dirname, resolve } from 'node:path'
import {
  formatWhere,
  type Hook,
  HooklineError,
  layerRank,
  mergeSettings,
  mergeToolRows,
  type Note,
  note,
  type Settings,
  settingLayers,
  type ToolRow,
  type Where,
} from '../core/index.ts'
import type { Dialects } from '../dialects/index.ts'
import type { Bundles } from './bundles.ts'
import type { ConfigFile } from './discover.ts'
import { type LoadedConfig, readConfig } from './load.ts'
import { markOf, readText } from './read-file.ts'
import { type AloneEntry, type Layered, muteDownwards } from './settle.ts'
import type { Path } from './tree.ts'

/** All files together, before anything is decided about their problems. */
export interface ReadFiles {
  files: LoadedConfig[]
  hooks: Hook[]
  problems: Note[]
  alone: AloneEntry[]
  notes: Note[]
  settings: Settings
  /** When it amounts to something else, though no file has changed. */
  until?: number
  /** Tools that the files declare. */
  tools: Readonly<Record<string, ToolRow>>
  locateIn(hook: Hook, path: Path): Where | undefined
}

/** Strongest first; files of one layer keep their order. */
export function inOrder(files: readonly ConfigFile[]): ConfigFile[] {
  return files.toSorted((one, other) => layerRank(one.layer) - layerRank(other.layer))
}

/** Reads every file, strongest layer first; what is read elsewhere, such as hooks in code, is weaker than all of them. */
export async function readFiles(
  named: readonly ConfigFile[],
  members: { bundles: Bundles; dialects?: Dialects },
  weaker: readonly Layered[] = [],
): Promise<ReadFiles> {
  const sources = inOrder(named)
  const files = await Promise.all(sources.filter(({ refused }) => !refused).map((source) => readOne(source, members)))
  const muting = muteDownwards([...files, ...weaker])
  const refused = sources.filter((source) => source.refused)
  return {
    files,
    hooks: muting.hooks,
    // What is wrong with the administrator's file, nobody here can correct; that is no reason to refuse everything else.
    problems: [
      ...refused.flatMap(({ layer, refused }) => (layer === 'managed' ? [] : [refused!])),
      ...files.flatMap((file) => file.problems),
    ],
    alone: files.flatMap((file) => file.alone),
    notes: [
      ...sources.flatMap(({ remark }) => remark ?? []),
      ...refused.flatMap(({ layer, refused }) => (layer === 'managed' ? [refused!] : [])),
      ...files.flatMap((file) => file.notes),
      ...muting.notes,
    ],
    settings: mergeSettings(files.map((file) => file.settings)),
    ...earliest(files),
    tools: mergeToolRows(files.map((file) => file.tools ?? {})),
    locateIn(hook, path) {
      for (const file of files) {
        const where = file.locateIn(hook, path)
        if (where) return where
      }
      return undefined
    },
  }
}

async function readOne(
  { file, refused: _, remark: __, candidate, repository, ...source }: ConfigFile,
  members: { bundles: Bundles; dialects?: Dialects },
): Promise<LoadedConfig> {
  const read = await readConfig(file, { ...source, ...members })
  const config = repository === undefined ? read : { ...read, repository }
  if (source.layer === 'fleet' && !candidate) return asSigned(config)
  if (source.text === undefined) return config
  // What its system adds to every config stands at its beginning; here only what was given counts.
  const root = formatWhere(config.locate([]))
  const given = config.hooks.filter(({ origin }) => origin.where && formatWhere(origin.where) !== root)
  return { ...config, hooks: given.map(withoutPlace) }
}

function earliest(files: readonly LoadedConfig[]): Pick<ReadFiles, 'until'> {
  const times = files.flatMap(({ until }) => until ?? [])
  return times.length > 0 ? { until: Math.min(...times) } : {}
}

/**
 * A file of the fleet, verified: what was read of it must be what its keys have signed. Whatever is wrong with it, nothing of
 * it counts, and it is a problem: who damages it is not rid of it.
 */
async function asSigned(config: LoadedConfig): Promise<LoadedConfig> {
  const { openPolicy } = await import('../fleet/policy.ts')
  // A command that stands above it names it from there.
  const file = resolve(config.file)
  try {
    const policy = openPolicy(file)
    const isForeign = ([path, mark]: [string, string]) =>
      mark.startsWith(readable) && !policy.holds(resolve(path), mark.slice(readable.length))
    const foreign = [...config.reads].find(isForeign)
    if (foreign) throw new HooklineError(note('fleet-refused', { detail: `${foreign[0]} is not what was signed` }))
    const reads = new Map(config.reads)
    for (const path of policy.rests) reads.set(path, markOf(await readText(path)))
    const [mode, muted] = policy.mode === 'shadow' ? ['shadow' as const, []] : [undefined, config.muted]
    const hooks = config.hooks.map((hook) => ({
      ...hook,
      ...(mode && { mode }),
      env: { ...hook.env, HOOKLINE_POLICY: dirname(file) },
      origin: { ...hook.origin, signed: policy.files },
    }))
    const { until } = policy
    return {
      ...{ ...config, hooks, muted, reads, lasting: false, notes: [...config.notes, ...policy.notes] },
      problems: [...config.problems, ...policy.problems],
      ...(until !== undefined && { until }),
    }
  } catch (error) {
    if (!(error instanceof HooklineError)) throw error
    return { ...config, hooks: [], muted: [], notes: [], settings: {}, lasting: false, problems: [error.notes[0]!] }
  }
}

/** How `markOf` begins for what could be read. */
const readable = 'text '

/** What stands in no file has no line in it, and nobody else than who gave it can have written it. */
export function withoutPlace({ origin: { layer }, ...hook }: Hook): Hook {
  return { ...hook, origin: { layer } }
}

/** A quick look, so that a file which decides nothing beside its hooks is not parsed for it. */
const mayDecide = /\b(?:journal|trust|questions|settings)\b/

/** What the user and the administrator have decided beside hooks. Problems are reported where hooks are loaded. */
export async function readSettings(files: readonly ConfigFile[]): Promise<Settings> {
  const own = files.filter(({ layer, refused }) => settingLayers.has(layer) && !refused)
  return mergeSettings(await Promise.all(own.map(settingsOf)))
}

async function settingsOf({ file, layer, dialect }: ConfigFile): Promise<Settings> {
  const read = await readText(file)
  if (!read.ok || !mayDecide.test(read.text)) return {}
  if (layer === 'fleet') return (await readOne({ file, layer, dialect: 'native' }, { bundles: {} })).settings
  return (await readConfig(file, { layer, text: read.text, ...(dialect !== undefined && { dialect }) })).settings
}
