import { readConfig } from './config/load.ts'
import { settle } from './config/strict.ts'
import { validateHooks } from './config/validate.ts'
import type { Dialect, EventName, Executor, Hook, Note } from './core/index.ts'
import { HooklineError } from './core/index.ts'
import { loadDialect } from './dialects/index.ts'
import type { HookEntry } from './dialects/native/schema.ts'
import type { Handler } from './executors/function.ts'

/** A hook in code: as in the native config, with `run` a function if you like. */
export type CodeHook = Omit<HookEntry, 'event' | 'run'> & { event: EventName; run: HookEntry['run'] | Handler<never> }

export interface LoadOptions {
  /** Config files, in order, for this run. The program that names them vouches for them, unless `trust` says otherwise. */
  config?: string | readonly string[]
  /** The dialect of the config files; absent: told by name and shape. */
  dialect?: string
  /** Hooks in code, after those of the files. */
  hooks?: readonly CodeHook[]
  /** False: a broken entry is skipped with a note. Default: it refuses to start. */
  strict?: boolean
}

export interface LoadedHooks {
  hooks: Hook[]
  notes: Note[]
}

/** Every hook of every file, and then those in code; validated together, so that all problems are told at once. */
export async function loadHooks(
  options: LoadOptions,
  executors: Readonly<Record<string, Executor>>,
): Promise<LoadedHooks> {
  const { config = [], dialect, hooks = [], strict = true } = options
  const source = { layer: 'session', ...(dialect === undefined ? {} : { dialect }) } as const
  const files = await Promise.all([config].flat().map((file) => readConfig(file, source)))
  const code = decodeCode(await loadDialect('native'), hooks)
  const all = [...files.flatMap((file) => file.hooks), ...code.hooks]
  const validated = await validateHooks(all, executors, (hook, path) => {
    for (const file of files) {
      const where = file.locateIn(hook, path)
      if (where) return where
    }
    return undefined
  })
  const problems = [...files.flatMap((file) => file.problems), ...code.problems, ...validated.problems]
  const notes = [...files.flatMap((file) => file.notes), ...code.notes, ...settle(problems, strict)]
  return { hooks: validated.hooks, notes }
}

/** Hooks in code are read like a config, so that the same mistakes get the same words. */
export function decodeCode(native: Dialect, hooks: readonly CodeHook[]) {
  const entries = hooks.map((hook) =>
    typeof hook.run === 'function' ? { ...hook, run: { type: 'function', handler: hook.run } } : hook,
  )
  const locate = (path: readonly (string | number)[]) => ({
    file: `the hooks in code${path.length > 1 ? ` (${path.slice(1).join('.')})` : ''}`,
  })
  const decoded = native.config.decode(
    { version: 1, hooks: entries },
    { file: 'the hooks in code', layer: 'code', locate },
  )
  return { ...decoded, hooks: decoded.hooks.map(({ origin: { layer }, ...hook }) => ({ ...hook, origin: { layer } })) }
}

/** One hook in code, now; a mistake throws. */
export function decodeOne(native: Dialect, hook: CodeHook): Hook {
  const { hooks, problems } = decodeCode(native, [hook])
  if (problems[0] || !hooks[0]) throw new HooklineError(problems[0]!, problems)
  return hooks[0]
}
