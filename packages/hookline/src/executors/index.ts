import type { Snapshots } from '../builtins/index.ts'
import {
  type Builtin,
  type BuiltinKit,
  didYouMean,
  type Executor,
  HooklineError,
  note,
  type Run,
  type StateStore,
  type ToolSection,
} from '../core/index.ts'
import type { SnapshotOptions } from './snapshots.ts'

export type { Asked, Handler } from './function.ts'
export { files } from './kit/files.ts'
export { readingSpecs } from './reading-specs.ts'
export { fileState } from './state.ts'

/** What executors share with the set of hooks they belong to. */
export interface ExecutorServices {
  /** Where builtins remember what they count. Default: in memory. */
  state?: StateStore
  /** Builtins of a program's own, beside ours; the same name replaces. */
  builtins?: Readonly<Record<string, Builtin>>
  /** Replaces parts of the world that builtins see. */
  kit?: Partial<BuiltinKit>
  /** What other systems call our tools. Asked for by those who match names that people write. */
  spellings?(): Promise<readonly ToolSection[]>
  /** The tools that people have declared, as far as is known by then. */
  declared?(): Iterable<string>
}

/** What is known of a type of run before its executor is loaded. */
export interface ExecutorRow {
  load(services: ExecutorServices): Promise<unknown>
  /** The field of the spec that says in short what it runs. */
  subject: string
  /** It hands the payload, as the dialect writes it, to a program that reads it. */
  wire?: true
  /** Its `command` starts programs of this machine. */
  startsPrograms?: true
  /** Run only to try it, it changes no file of the project. */
  leavesFiles?: true
  /** It runs code of others inside the process that raises the event. */
  runsInside?: true
}

/**
 * The registry of executors: one row each, loaded when a hook needs it. Every set of hooks has its own, with its own
 * processes to close.
 */
const rows: Readonly<Record<string, ExecutorRow>> = {
  command: {
    load: async () => (await import('./command/index.ts')).createCommandExecutor(),
    subject: 'command',
    wire: true,
    startsPrograms: true,
  },
  resident: {
    load: async () => (await import('./resident/index.ts')).createResidentExecutor(),
    subject: 'command',
    wire: true,
    startsPrograms: true,
  },
  sandbox: {
    load: async () => (await import('./sandbox/index.ts')).createSandboxExecutor(),
    subject: 'command',
    wire: true,
  },
  http: {
    load: async () => (await import('./http/index.ts')).createHttpExecutor(),
    subject: 'url',
    wire: true,
    leavesFiles: true,
  },
  model: {
    load: async () => (await import('./model/index.ts')).createModelExecutor(),
    subject: 'model',
    leavesFiles: true,
  },
  builtin: {
    load: async (services) => (await import('./builtin.ts')).createBuiltinExecutor(services),
    subject: 'name',
    leavesFiles: true,
  },
  function: {
    load: async () => (await import('./function.ts')).createFunctionExecutor(),
    subject: 'module',
    runsInside: true,
  },
  rules: {
    async load({ state, spellings, declared }) {
      const [{ createRulesExecutor }, named] = await Promise.all([import('./rules/index.ts'), spellings?.()])
      return createRulesExecutor({
        ...(state && { state }),
        ...(named && { spellings: named }),
        ...(declared && { declared }),
      })
    },
    subject: 'rules',
    leavesFiles: true,
  },
}

/** The row of a type; undefined for one that is not ours. */
export const executorRow = (type: string): ExecutorRow | undefined =>
  Object.hasOwn(rows, type) ? rows[type] : undefined

/** What a hook runs, in short: its type and what names it best. */
export function describeRun(run: Run): string {
  const subject = run[executorRow(run.type)?.subject ?? '']
  return typeof subject === 'string' ? `${run.type} \`${subject}\`` : run.type
}

export const executorTypes: readonly string[] = Object.keys(rows)

export type Executors = Record<string, Executor>

export async function loadExecutor(type: string, services: ExecutorServices = {}): Promise<Executor> {
  const row = executorRow(type)
  if (row) return (await row.load(services)) as Executor
  const hint = didYouMean(type, executorTypes)
  throw new HooklineError(note('unknown-executor', { type, hint, known: executorTypes.join(', ') }))
}

/** Those of these types that exist; a type that does not is reported where the hook is checked. */
export async function createExecutors(
  types: Iterable<string> = executorTypes,
  services: ExecutorServices = {},
): Promise<Executors> {
  const known = [...new Set(types)].filter((type) => executorRow(type) !== undefined)
  return Object.fromEntries(
    await Promise.all(known.map(async (type) => [type, await loadExecutor(type, services)] as const)),
  )
}

/** The snapshots that the builtin took in a session: to list them, undo the latest, or go back. Undefined outside a git repository. */
export async function openSessionSnapshots(options: SnapshotOptions): Promise<Snapshots | undefined> {
  return (await import('./snapshots.ts')).openSessionSnapshots(options)
}

/** What a call puts at stake on this machine, here and now. */
export async function atStakeOf(
  call: Parameters<BuiltinKit['atStake']>[0] & { cwd: string },
  home: string,
): ReturnType<BuiltinKit['atStake']> {
  const { atStakeHere } = await import('./kit/stakes.ts')
  return atStakeHere(call, { cwd: call.cwd, home, signal: new AbortController().signal })
}
