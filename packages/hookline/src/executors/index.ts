import { didYouMean, type Executor, HooklineError, note } from '../core/index.ts'

/**
 * The registry of executors: one line each, loaded when a hook needs it. Every set of hooks has its own, with its own
 * processes to close.
 */
const loaders: Readonly<Record<string, () => Promise<unknown>>> = {
  command: async () => (await import('./command/index.ts')).createCommandExecutor(),
  resident: async () => (await import('./resident/index.ts')).createResidentExecutor(),
  sandbox: async () => (await import('./sandbox/index.ts')).createSandboxExecutor(),
  http: async () => (await import('./http/index.ts')).createHttpExecutor(),
  model: async () => (await import('./model/index.ts')).createModelExecutor(),
  builtin: async () => (await import('./builtin.ts')).createBuiltinExecutor(),
  function: async () => (await import('./function.ts')).createFunctionExecutor(),
}

export const executorTypes: readonly string[] = Object.keys(loaders)

export type Executors = Record<string, Executor>

export async function loadExecutor(type: string): Promise<Executor> {
  const load = Object.hasOwn(loaders, type) ? loaders[type] : undefined
  if (load) return (await load()) as Executor
  const hint = didYouMean(type, executorTypes)
  throw new HooklineError(note('unknown-executor', { type, hint, known: executorTypes.join(', ') }))
}

/** Those of these types that exist; a type that does not is told where the hook is checked. */
export async function createExecutors(types: Iterable<string> = executorTypes): Promise<Executors> {
  const known = [...new Set(types)].filter((type) => Object.hasOwn(loaders, type))
  return Object.fromEntries(await Promise.all(known.map(async (type) => [type, await loadExecutor(type)] as const)))
}
