import type { Snapshots } from '../builtins/index.ts'
import { type BuiltinKit, didYouMean, type Executor, HooklineError, note, type StateStore } from '../core/index.ts'
import type { SnapshotOptions } from './snapshots.ts'

export type { Asked, Handler } from './function.ts'
export { files } from './kit/files.ts'
export { fileState } from './state.ts'

/** What executors share with the set of hooks they belong to. */
export interface ExecutorServices {
  /** Where builtins remember what they count. Default: in memory. */
  state?: StateStore
  /** Replaces parts of the world that builtins see. */
  kit?: Partial<BuiltinKit>
}

/**
 * The registry of executors: one line each, loaded when a hook needs it. Every set of hooks has its own, with its own
 * processes to close.
 */
const loaders: Readonly<Record<string, (services: ExecutorServices) => Promise<unknown>>> = {
  command: async () => (await import('./command/index.ts')).createCommandExecutor(),
  resident: async () => (await import('./resident/index.ts')).createResidentExecutor(),
  sandbox: async () => (await import('./sandbox/index.ts')).createSandboxExecutor(),
  http: async () => (await import('./http/index.ts')).createHttpExecutor(),
  model: async () => (await import('./model/index.ts')).createModelExecutor(),
  builtin: async (services) => (await import('./builtin.ts')).createBuiltinExecutor(services),
  function: async () => (await import('./function.ts')).createFunctionExecutor(),
}

export const executorTypes: readonly string[] = Object.keys(loaders)

export type Executors = Record<string, Executor>

export async function loadExecutor(type: string, services: ExecutorServices = {}): Promise<Executor> {
  const load = Object.hasOwn(loaders, type) ? loaders[type] : undefined
  if (load) return (await load(services)) as Executor
  const hint = didYouMean(type, executorTypes)
  throw new HooklineError(note('unknown-executor', { type, hint, known: executorTypes.join(', ') }))
}

/** Those of these types that exist; a type that does not is told where the hook is checked. */
export async function createExecutors(
  types: Iterable<string> = executorTypes,
  services: ExecutorServices = {},
): Promise<Executors> {
  const known = [...new Set(types)].filter((type) => Object.hasOwn(loaders, type))
  return Object.fromEntries(
    await Promise.all(known.map(async (type) => [type, await loadExecutor(type, services)] as const)),
  )
}

/** The snapshots that the builtin took in a session: to list them, undo the latest, or go back. Undefined outside a git repository. */
export async function openSessionSnapshots(options: SnapshotOptions): Promise<Snapshots | undefined> {
  return (await import('./snapshots.ts')).openSessionSnapshots(options)
}
