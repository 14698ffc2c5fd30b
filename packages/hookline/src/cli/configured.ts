import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type ConfigFile, discover, inOrder, layerAt, placesOf, readSettings, shortened } from '../config/index.ts'
import {
  type EventName,
  foldName,
  formatNote,
  layerRank,
  type Note,
  type Settings,
  settingLayers,
} from '../core/index.ts'
import { callerDirectory, homeDirectory, realPath, recordLooks, stateDirectory } from '../platform/index.ts'
import { openSwitch, untrustedWriter, userLayerKnown } from '../trust/index.ts'
import { type Invocation, type Option, text, texts, UsageError } from './command.ts'

/** Options of every command that reads the hooks of config files. */
export const configOptions = {
  config: {
    value: 'file',
    multiple: true,
    doc: 'Use the hooks of this file instead of those of the project. Default: all configs that apply here.',
  },
  'config-dialect': { value: 'name', doc: 'The dialect of the config, if the file does not show it.' },
  cwd: { value: 'directory', doc: 'Where the agent works: relative paths in commands start there. Default: here.' },
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
  /** Whether the same files are found where these were. What stands in them is another question. */
  isCurrent(): boolean
}

interface Choice {
  /** Whose config the named files are. Default: `--config-dialect`, else recognised by name and shape. */
  dialect?: string | undefined
  /** Whose they probably are, where neither name nor shape says so. */
  likely?: string | undefined
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
  choice: Choice = {},
): Promise<Configured> {
  const { values } = invocation
  const { dialect = text(values['config-dialect']), likely, only = false, mayBeNone = false, quiet = false } = choice
  const cwd = workingDirectory(values)
  const home = homeDirectory()
  const look = () => ({ cwd, home, ...userLayerKnown(home), untrustedWriter })
  const names = [...texts(values['config']), ...words]
  const here = callerDirectory()
  const search = () => {
    const surroundings = look()
    return { surroundings, discovered: discover(surroundings) }
  }
  const first = recordLooks(search)
  const { surroundings, discovered } = first.result
  const find = (found = discover(surroundings)) => {
    const named = names.map((file) => asNamed(file, found, { dialect, likely }))
    const inFiles = names.length === 0 ? found : only ? named : [...found.filter(isAlways), ...named]
    const short = (each: ConfigFile) => (found.includes(each) ? { ...each, file: shortened(each.file, here) } : each)
    return inOrder([...onlyOnce(inFiles).map(short), ...flaggedHooks(values)])
  }
  const files = find(discovered)
  if (files.length === 0 && !mayBeNone) throw new UsageError(nothingFound(cwd))
  const { off } = openSwitch(stateDirectory(), cwd)
  const warning = quiet ? undefined : off()
  if (warning) invocation.errors.write(`${formatNote(warning)}\n`)
  const settings = await readSettings(discovered)
  let { looks } = first
  return {
    ...{ files, cwd, settings, off, find: () => find(), places: () => placesOf(surroundings) },
    isCurrent() {
      if (looks.hold()) return true
      const again = recordLooks(search)
      looks = again.looks
      return isDeepStrictEqual(again.result.discovered, discovered)
    },
  }
}

const nothingFound = (cwd: string) =>
  `There are no hooks for ${cwd}: neither hookline.yaml nor .hookline/hooks.yaml. Start with \`hookline init\`, or name a file: \`--config <file>\`.`

const isAlways = ({ layer }: ConfigFile): boolean => settingLayers.has(layer)

/** A file keeps the layer in which it is found, by whatever name it is called. */
function asNamed(file: string, found: readonly ConfigFile[], { dialect, likely }: Choice): ConfigFile {
  const layer = layerAt(file, { home: homeDirectory() }) ?? 'session'
  const known = found.find((each) => realPath(each.file) === realPath(file)) ?? { layer }
  return { ...known, file, ...(dialect !== undefined && { dialect }), ...(likely !== undefined && { likely }) }
}

/**
 * The same file twice would be the same hooks twice. It is of the strongest layer in which it is found: a link in the
 * project does not make the user's hooks the project's. What was named stands behind, and knows its dialect.
 */
function onlyOnce(files: readonly ConfigFile[]): ConfigFile[] {
  const kept = new Map<string, ConfigFile>()
  for (const each of files) {
    const path = realPath(each.file)
    const other = kept.get(path)
    if (!other || layerRank(each.layer) <= layerRank(other.layer)) kept.set(path, each)
  }
  const chosen = new Set(kept.values())
  return files.filter((each) => chosen.has(each))
}

export function workingDirectory(values: Invocation['values']): string {
  const directory = resolve(callerDirectory(), text(values['cwd']) ?? '.')
  if (!existsSync(directory)) throw new UsageError(`There is no directory ${directory}.`)
  return directory
}

/**
 * Hooks given at the command line, as docker-agent has them (`docker agent run --hook-pre-tool-use …`): appended to all
 * others, for every tool, and in docker-agent's language. Whoever types them trusts them.
 */
const moments = {
  pre_tool_use: 'before every tool call',
  post_tool_use: 'after every tool call',
  session_start: 'when a session starts',
  session_end: 'when a session ends',
  on_user_input: 'when the agent waits for input',
  stop: 'when the model finishes responding',
} as const satisfies Partial<Record<EventName, string>>

const flagOf = (event: string) => `hook-${event.replaceAll('_', '-')}`

/** For every command that runs hooks, or shows which would run. */
export const hookFlags: Readonly<Record<string, Option>> = Object.fromEntries(
  Object.entries(moments).map(([event, when]) => [
    flagOf(event),
    { value: 'command', multiple: true, doc: `Run this command ${when}, beside all hooks.` },
  ]),
)

/** What the flags amount to: a config of its own, that stands in no file. */
export function flaggedHooks(values: Invocation['values']): ConfigFile[] {
  const given = Object.keys(moments).map((event) => ({ event, commands: texts(values[flagOf(event)]) }))
  const entries = given.filter(({ commands }) => commands.length > 0)
  if (entries.length === 0) return []
  const hooks = Object.fromEntries(entries.map(({ event, commands }) => [event, blockOf(event, commands)]))
  return [{ file: 'the command line', layer: 'session', dialect: 'docker-agent', text: JSON.stringify({ hooks }) }]
}

function blockOf(event: string, commands: readonly string[]): unknown {
  const hooks = commands.map((command) => ({ type: 'command', command }))
  return foldName(event).endsWith('tooluse') ? [{ matcher: '*', hooks }] : hooks
}
