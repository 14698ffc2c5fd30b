import { bundles } from '../builtins/bundles/index.ts'
import type { AloneEntry, ConfigFile, ValidatedHooks } from '../config/index.ts'
import { readFiles, settle, validateHooks, withBundles, withoutPlace, withReadableTests } from '../config/index.ts'
import type {
  Builtin,
  DecodedConfig,
  Dialect,
  EventName,
  Executor,
  Hook,
  Note,
  RuleEntry,
  Settings,
  Source,
  StateStore,
  ToolDeclaration,
  ToolRow,
  ToolSection,
} from '../core/index.ts'
import { asRun, HooklineError, mergeToolRows, renamed } from '../core/index.ts'
import { loadDialect, withDialects } from '../dialects/index.ts'
import type { HookConfig, HookEntry } from '../dialects/native/index.ts'
import { createExecutors, type Executors, executorTypes, type Handler } from '../executors/index.ts'
import { hostNames, loadHost } from '../hosts/index.ts'
import { openLoadCache } from './load-cache.ts'
import { standInsFor } from './stand-ins.ts'

/** A hook in code: as in the native config, with `run` a function if you like. */
export type CodeHook = Omit<HookEntry, 'event' | 'run'> & {
  event: EventName
  run: HookEntry['run'] | Handler<never>
  /** The system in whose words a function reads calls and answers, and its matcher names tools. Default: ours. */
  dialect?: string
}

export interface LoadOptions {
  /** Config files, in order, for this run. They count as approved by the program that names them, unless `trust` says otherwise. */
  config?: string | readonly string[]
  /** The dialect of those; absent: found by name and shape. */
  dialect?: string
  /** Config files with their layers, as `discover()` finds them. The strongest layer comes first, whatever the order here. */
  files?: readonly ConfigFile[] | (() => readonly ConfigFile[])
  /** Bundles to add, by name or path, before the hooks in code. */
  use?: HookConfig['use']
  /** Hooks in code and of these bundles to mute, by id or pattern. */
  disabled?: HookConfig['disabled']
  /** Rules in code, before the hooks in code. */
  rules?: readonly RuleEntry[]
  /** Tools of your own: what their arguments mean and what they do, so that rules about actions hold for them. */
  tools?: Readonly<Record<string, ToolDeclaration>>
  /** Hooks in code, after those of the files. */
  hooks?: readonly CodeHook[]
  /** Builtins of your own, beside ours; the same name replaces. */
  builtins?: readonly Builtin[]
  /** Dialects of your own, beside ours: for config files, `raiseAs` and `replyAs`. */
  dialects?: readonly Dialect[]
  /**
   * True: anything broken refuses to start. False: a broken entry is skipped with a note. Default: it refuses to start, but
   * in a file of a system that reads each entry by itself (Claude Code): there it is left out with a note, and a guard that is
   * broken refuses whatever it could have matched.
   */
  strict?: boolean
  /** Where builtins remember what they count. Default: in memory. */
  state?: StateStore
  /** A directory of the user's alone that remembers what these files amounted to, for processes that live for one event. */
  cache?: string
}

export interface LoadedHooks {
  hooks: Hook[]
  /** Hooks that refuse what broken guards could have matched. */
  standIns: Hook[]
  notes: Note[]
  /** The executors that these hooks need. */
  executors: Executors
  /** What the user and the administrator have decided beside hooks. */
  settings: Settings
  /** What tools of people's own do. */
  tools: Readonly<Record<string, ToolRow>>
  /** What was found in the files, and in bundles that they use. */
  reads: ReadonlyMap<string, string>
  /** When they amount to something else, though no file has changed. */
  until?: number
}

/** The config files that count now. */
export function filesOf({ files = [], config = [], dialect }: LoadOptions): ConfigFile[] {
  const own = [config].flat().map((file): ConfigFile => ({ file, layer: 'session', ...(dialect && { dialect }) }))
  return [...(typeof files === 'function' ? files() : files), ...own]
}

/**
 * Every hook of every file, and then those in code; validated together, so that all problems are reported at once. `more`
 * are executors beside our own, `running` those that an earlier load has left; the tools that these files declare are
 * added to `declared`.
 */
export async function loadHooks(
  options: LoadOptions,
  more: Executors = {},
  running: Executors = {},
  declared: Set<string> = new Set(),
): Promise<LoadedHooks> {
  const files = filesOf(options)
  const { hooks, rules, use, disabled, builtins, dialects } = options
  const inCode = Boolean(
    hooks?.length ||
      rules?.length ||
      options.tools ||
      use ||
      disabled ||
      builtins ||
      dialects ||
      Object.keys(more).length > 0,
  )
  const cache = options.cache === undefined || inCode ? undefined : openLoadCache(options.cache, files)
  const kept = cache?.recall()
  if (kept) {
    for (const name of Object.keys(kept.tools)) declared.add(name)
    const executors = { ...(await executorsFor(kept.hooks, running, options, declared)), ...running }
    return { ...kept, standIns: [], executors, reads: new Map() }
  }

  const code = await decodeCode(options)
  const layered = [{ layer: 'code', hooks: code.hooks, muted: code.muted ?? [] } as const]
  const read = await readFiles(files, { bundles, dialects: withDialects(options.dialects) }, layered)
  const all = read.hooks
  const tools = mergeToolRows([read.tools, code.tools ?? {}])
  for (const name of Object.keys(tools)) declared.add(name)
  const executors = { ...(await executorsFor(all, running, options, declared)), ...running, ...more }
  const types = [...new Set([...executorTypes, ...Object.keys(more)])]
  const validated = await validateHooks(all, executors, read.locateIn, types)
  const problems = [...read.problems, ...code.problems, ...validated.problems]
  const alone = await withReadableTests([...read.alone, ...(await eachAlone(validated.broken, options))])
  const notes = [...read.notes, ...code.notes, ...validated.notes, ...settle(problems, options.strict, alone)]
  const amount = {
    hooks: validated.hooks,
    notes,
    settings: read.settings,
    tools,
  }
  if (problems.length === 0) cache?.keep(amount, read.files)
  return {
    ...amount,
    standIns: standInsFor(alone),
    executors,
    reads: new Map(read.files.flatMap(({ reads }) => [...reads])),
    ...(read.until !== undefined && { until: read.until }),
  }
}

/** Of the hooks that cannot be used, those of systems that read each entry by itself. */
async function eachAlone(broken: ValidatedHooks['broken'], { dialects }: LoadOptions): Promise<AloneEntry[]> {
  const { load } = withDialects(dialects)
  const entries = await Promise.all(
    broken.map(async ({ hook, ...entry }) => {
      const { config } = await load(hook.dialect)
      return config.eachAlone ? [{ ...entry, dialect: hook.dialect, layer: hook.origin.layer }] : []
    }),
  )
  return entries.flat()
}

/** Those that hooks need and that are not running yet. */
function executorsFor(
  hooks: readonly Hook[],
  running: Executors,
  { state, builtins, dialects }: LoadOptions,
  declared: ReadonlySet<string>,
): Promise<Executors> {
  const types = hooks.map((hook) => hook.run.type).filter((type) => !Object.hasOwn(running, type))
  const own = builtins && Object.fromEntries(builtins.map((builtin) => [builtin.name, builtin]))
  return createExecutors(types, {
    ...(state && { state }),
    ...(own && { builtins: own }),
    declared: () => declared,
    ...(hooks.some(namesTools) && { spellings: () => spellingsIn(dialects) }),
  })
}

/** Only rules about tools need what every system calls them: loading all dialects takes longer than most starts. */
const namesTools = ({ run }: Hook): boolean =>
  Array.isArray(run['rules']) && /"tool":/.test(JSON.stringify(run['rules']))

/** What other systems call our tools. */
export async function spellingsIn(own: LoadOptions['dialects']): Promise<readonly ToolSection[]> {
  const { names, load } = withDialects(own)
  const systems = await Promise.all([...names.map(load), ...hostNames.map(loadHost)])
  return systems.flatMap((system) => system?.tools ?? [])
}

const codeSource: Source = {
  file: 'the hooks in code',
  layer: 'code',
  locate: (path) => ({ file: `the hooks in code${path.length > 1 ? ` (${path.join('.')})` : ''}` }),
}

/** Hooks in code are read like a config, so that the same mistakes get the same words. */
async function decodeCode({ hooks = [], rules, tools, use, disabled }: LoadOptions): Promise<DecodedConfig> {
  const native = await loadDialect('native')
  const document = {
    version: 1,
    hooks: hooks.map(asEntry),
    ...(rules?.length && { rules }),
    ...(tools && { tools }),
    ...(use && { use }),
    ...(disabled && { disabled }),
  }
  const decoded = await withBundles(native.config.decode(document, codeSource), native, codeSource, bundles)
  const words = new Map(hooks.flatMap(({ run, dialect }) => (dialect === undefined ? [] : [[run as unknown, dialect]])))
  const inWords = (hook: Hook): Hook => {
    const dialect = words.get(hook.run['handler'])
    return dialect === undefined ? hook : { ...hook, dialect }
  }
  return { ...decoded, hooks: decoded.hooks.map((hook) => inWords(withoutPlace(hook))) }
}

/** One hook in code, now; a mistake throws. */
export function decodeOne(native: Dialect, hook: CodeHook): Hook {
  const { hooks, problems } = native.config.decode({ version: 1, hooks: [asEntry(hook)] }, codeSource)
  if (problems[0] || !hooks[0]) throw new HooklineError(problems[0]!, problems)
  return withoutPlace(hooks[0])
}

/** One rule in code, now: a hook for each event on which it judges. A mistake throws. */
export function decodeRule(native: Dialect, rule: RuleEntry, executor: Executor, name: string): Hook[] {
  const { hooks, problems } = native.config.decode({ version: 1, rules: [{ id: name, ...rule }] }, codeSource)
  const named = hooks.map((hook) => withoutPlace(renamed(hook, (id) => `${name}/${id}`)))
  const broken = named.flatMap((hook) => executor.check?.(hook.run, hook) ?? [])
  const [problem] = [...problems, ...broken]
  if (problem) throw new HooklineError(problem, [...problems, ...broken])
  return named
}

function asEntry({ dialect: _words, ...hook }: CodeHook): unknown {
  return typeof hook.run === 'function' ? { ...hook, run: asRun(hook.run) } : hook
}
