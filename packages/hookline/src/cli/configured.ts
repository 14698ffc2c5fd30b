import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  type ConfigFile,
  discover,
  inOrder,
  layerAt,
  placesOf,
  readSettings,
  realpathOr,
  shortened,
} from '../config/index.ts'
import { formatNote, layerRank, type Note, type Settings } from '../core/index.ts'
import { homeDirectory, stateDirectory } from '../platform/state.ts'
import { openSwitch, untrustedWriter } from '../trust/index.ts'
import { type Invocation, type Option, text, texts, UsageError } from './command.ts'
import { flaggedHooks } from './hook-flags.ts'

/** What every command takes that looks at the hooks of config files. */
export const configOptions = {
  config: {
    value: 'file',
    multiple: true,
    doc: 'Hooks of this file, in place of those of the project. Default: all that count here.',
  },
  'config-dialect': { value: 'name', doc: 'Whose config it is, where that is not plain from the file.' },
  cwd: { value: 'directory', doc: 'Where the agent works: what relative paths in commands start from. Default: here.' },
} as const satisfies Record<string, Option>

/** What createHooks() and loadHooks() take. */
export interface Configured {
  files: ConfigFile[]
  cwd: string
  /** What the user and the administrator have decided beside hooks. */
  settings: Settings
  /** What to say while hooks are switched off. */
  off(): Note | undefined
  /** The files that count at that moment, and where they are looked for: for programs that run on while files change. */
  find(): ConfigFile[]
  places(): readonly string[]
}

interface Choice {
  /** Whose config the named files are. Default: what `--config-dialect` says, else told by name and shape. */
  dialect?: string | undefined
  /** Where files are named, nothing but these. */
  only?: boolean
  /** That there are no hooks at all is no mistake. */
  mayBeNone?: boolean
  /** Leave it to the caller to say that hooks are switched off. */
  quiet?: boolean
}

/**
 * Which config files count for this call, strongest layer first. Files that are named, as options or as plain words,
 * stand in place of those of the project, as the session's; the administrator's and the user's always count.
 */
export async function configured(
  invocation: Pick<Invocation, 'values' | 'errors'>,
  words: readonly string[] = [],
  { dialect = text(invocation.values['config-dialect']), only = false, mayBeNone = false, quiet = false }: Choice = {},
): Promise<Configured> {
  const { values } = invocation
  const cwd = workingDirectory(values)
  const surroundings = { cwd, home: homeDirectory(), untrustedWriter }
  const names = [...texts(values['config']), ...words]
  const discovered = discover(surroundings)
  const find = (all = discover(surroundings)) => {
    const found = all.map((each) => ({ ...each, file: shortened(each.file, process.cwd()) }))
    const named = names.map((file) => asNamed(file, found, dialect))
    const inFiles = names.length === 0 ? found : only ? named : [...found.filter(isAlways), ...named]
    return inOrder([...inFiles.filter(isOnce), ...flaggedHooks(values)])
  }
  const files = find(discovered)
  if (files.length === 0 && !mayBeNone) throw new UsageError(nothingFound(cwd))
  const { off } = openSwitch(stateDirectory(), cwd)
  const said = quiet ? undefined : off()
  if (said) invocation.errors.write(`${formatNote(said)}\n`)
  const settings = await readSettings(discovered)
  return { files, cwd, settings, off, find: () => find(), places: () => placesOf(surroundings) }
}

const nothingFound = (cwd: string) =>
  `There are no hooks for ${cwd}: neither hookline.yaml nor .hookline/hooks.yaml. Begin with \`hookline init\`, or name a file: \`--config <file>\`.`

const isAlways = ({ layer }: ConfigFile): boolean => layer === 'managed' || layer === 'user'

/** A file keeps the layer in which it is found, by whatever name it is called. */
function asNamed(file: string, found: readonly ConfigFile[], dialect: string | undefined): ConfigFile {
  const layer = layerAt(file, { home: homeDirectory() }) ?? 'session'
  const known = found.find((each) => realpathOr(each.file) === realpathOr(file)) ?? { layer }
  return { ...known, file, ...(dialect !== undefined && { dialect }) }
}

/**
 * The same file twice would be the same hooks twice. It is of the strongest layer in which it is found: a link in the
 * project does not make the user's hooks the project's. What was named stands behind, and knows its dialect.
 */
function isOnce({ file }: ConfigFile, at: number, all: readonly ConfigFile[]): boolean {
  const same = (other: ConfigFile) => realpathOr(other.file) === realpathOr(file)
  const strongest = Math.min(...all.filter(same).map(({ layer }) => layerRank(layer)))
  return all.findLastIndex((other) => same(other) && layerRank(other.layer) === strongest) === at
}

export function workingDirectory(values: Invocation['values']): string {
  const directory = resolve(text(values['cwd']) ?? process.cwd())
  if (!existsSync(directory)) throw new UsageError(`There is no directory ${directory}.`)
  return directory
}
