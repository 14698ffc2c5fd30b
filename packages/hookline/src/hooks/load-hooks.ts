import { bundles } from '../builtins/bundles/index.ts'
import type { ConfigFile } from '../config/index.ts'
import { readFiles, settle, validateHooks, withBundles, withoutPlace } from '../config/index.ts'
import type {
  Builtin,
  DecodedConfig,
  Dialect,
  EventName,
  Hook,
  Note,
  Settings,
  Source,
  StateStore,
} from '../core/index.ts'
import { asRun, HooklineError } from '../core/index.ts'
import { loadDialect, withDialects } from '../dialects/index.ts'
import type { HookConfig, HookEntry } from '../dialects/native/index.ts'
import { createExecutors, type Executors, executorTypes, type Handler } from '../executors/index.ts'
import { openLoadCache } from './load-cache.ts'

/** A hook in code: as in the native config, with `run` a function if you like. */
export type CodeHook = Omit<HookEntry, 'event' | 'run'> & { event: EventName; run: HookEntry['run'] | Handler<never> }

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
  /** Hooks in code, after those of the files. */
  hooks?: readonly CodeHook[]
  /** Builtins of your own, beside ours; the same name replaces. */
  builtins?: readonly Builtin[]
  /** Dialects of your own, beside ours: for config files, `raiseAs` and `replyAs`. */
  dialects?: readonly Dialect[]
  /** False: a broken entry is skipped with a note. Default: it refuses to start. */
  strict?: boolean
  /** Where builtins remember what they count. Default: in memory. */
  state?: StateStore
  /** A directory of the user's alone that remembers what these files amounted to, for processes that live for one event. */
  cache?: string
}

export interface LoadedHooks {
  hooks: Hook[]
  notes: Note[]
  /** The executors that these hooks need. */
  executors: Executors
  /** What the user and the administrator have decided beside hooks. */
  settings: Settings
  /** What was found in the files, and in bundles that they use. */
  reads: ReadonlyMap<string, string>
}

/** The config files that count now. */
export function filesOf({ files = [], config = [], dialect }: LoadOptions): ConfigFile[] {
  const own = [config].flat().map((file): ConfigFile => ({ file, layer: 'session', ...(dialect && { dialect }) }))
  return [...(typeof files === 'function' ? files() : files), ...own]
}

/**
 * Every hook of every file, and then those in code; validated together, so that all problems are reported at once. `more`
 * are executors beside our own, `running` those that an earlier load has left.
 */
export async function loadHooks(
  options: LoadOptions,
  more: Executors = {},
  running: Executors = {},
): Promise<LoadedHooks> {
  const { strict = true } = options
  const files = filesOf(options)
  const { hooks, use, disabled, builtins, dialects } = options
  const inCode = Boolean(hooks?.length || use || disabled || builtins || dialects || Object.keys(more).length > 0)
  const cache = options.cache === undefined || inCode ? undefined : openLoadCache(options.cache, files)
  const kept = cache?.recall()
  if (kept) {
    const executors = { ...(await executorsFor(kept.hooks, running, options)), ...running }
    return { ...kept, executors, reads: new Map() }
  }

  const code = await decodeCode(options)
  const layered = [{ layer: 'code', hooks: code.hooks, muted: code.muted ?? [] } as const]
  const read = await readFiles(files, { bundles, dialects: withDialects(options.dialects) }, layered)
  const all = read.hooks
  const executors = { ...(await executorsFor(all, running, options)), ...running, ...more }
  const types = [...new Set([...executorTypes, ...Object.keys(more)])]
  const validated = await validateHooks(all, executors, read.locateIn, types)
  const problems = [...read.problems, ...code.problems, ...validated.problems]
  const notes = [...read.notes, ...code.notes, ...validated.notes, ...settle(problems, strict)]
  const amount = { hooks: validated.hooks, notes, settings: read.settings }
  if (problems.length === 0) cache?.keep(amount, read.files)
  return { ...amount, executors, reads: new Map(read.files.flatMap(({ reads }) => [...reads])) }
}

/** Those that hooks need and that are not running yet. */
function executorsFor(
  hooks: readonly Hook[],
  running: Executors,
  { state, builtins }: LoadOptions,
): Promise<Executors> {
  const types = hooks.map((hook) => hook.run.type).filter((type) => !Object.hasOwn(running, type))
  const own = builtins && Object.fromEntries(builtins.map((builtin) => [builtin.name, builtin]))
  return createExecutors(types, { ...(state && { state }), ...(own && { builtins: own }) })
}

const codeSource: Source = {
  file: 'the hooks in code',
  layer: 'code',
  locate: (path) => ({ file: `the hooks in code${path.length > 1 ? ` (${path.join('.')})` : ''}` }),
}

/** Hooks in code are read like a config, so that the same mistakes get the same words. */
async function decodeCode({ hooks = [], use, disabled }: LoadOptions): Promise<DecodedConfig> {
  const native = await loadDialect('native')
  const document = { version: 1, hooks: hooks.map(asEntry), ...(use && { use }), ...(disabled && { disabled }) }
  const decoded = await withBundles(native.config.decode(document, codeSource), native, codeSource, bundles)
  return { ...decoded, hooks: decoded.hooks.map(withoutPlace) }
}

/** One hook in code, now; a mistake throws. */
export function decodeOne(native: Dialect, hook: CodeHook): Hook {
  const { hooks, problems } = native.config.decode({ version: 1, hooks: [asEntry(hook)] }, codeSource)
  if (problems[0] || !hooks[0]) throw new HooklineError(problems[0]!, problems)
  return withoutPlace(hooks[0])
}

function asEntry(hook: CodeHook): unknown {
  return typeof hook.run === 'function' ? { ...hook, run: asRun(hook.run) } : hook
}
