import type { Dialect, Event, Executor, Hook, LeftProcess, Note, Verdict } from '../core/index.ts'
import type { HookIndex } from './hook-index.ts'
import type { Slots } from './limits.ts'
import type { RedoCounts } from './redo.ts'

/**
 * Whether a hook may run; `unchecked` when approvals were not checked, because whoever started the run trusts all hooks.
 * `run` replaces parts of what the executor is given, so that it runs the bytes that were checked and not what has replaced
 * them since; `copies` then begins the path of every copy, before that of its original. `restricted`: nobody has approved
 * the hook, and `run` makes the part of it that holds all the same.
 */
export type Trust =
  | {
      trusted: true
      unchecked?: true
      run?: Readonly<Record<string, unknown>>
      copies?: string
      restricted?: true
    }
  | { trusted: false; detail: string; remedy: string }

/** What the engine needs of the world; the composition root provides it. */
export interface EngineServices {
  /**
   * Whether this exact hook may run for this event, which says where it runs; its dialect says with which variables, and its
   * executor which bytes run.
   */
  trust(hook: Hook, event: Event, dialect: Dialect, executor: Executor): Trust
  /** For executors that run only so many at once. */
  slots: ReadonlyMap<string, Slots>
  /** Runs the work so that events raised inside it are known to be inside a hook. */
  nested<T>(depth: number, work: () => T): T
  /** Something happened that is worth knowing, after the verdict was given. */
  afterwards(note: Note): void
  redos: RedoCounts
  /** Fields that every hook may count on and a host may have left out; a new object each time, to be filled with the rest. */
  defaults(): Record<string, unknown>
  /**
   * Keeps the verdict and the event, as it was raised, in the journal; `tookMs` is absent when no hook ran. May replace the
   * verdict when it cannot be kept.
   */
  record(verdict: Verdict, event: Event, index: HookIndex, tookMs: number | undefined): Verdict | Promise<Verdict>
  /** Work that must not delay anything, to be awaited on close. */
  background(work: Promise<unknown>): void
  /** The user's home directory: files below it are named from there. */
  home?: string
  /** Present in a process that lives for one event: another one runs what nobody waits for. */
  later?: Later | undefined
}

/** What one process leaves to another. */
export interface Later {
  /** A background hook, by its id, with the event that it would have got. */
  hook(id: string, event: Event): void
  /** A hook that goes on alone. */
  process(left: LeftProcess): void
}

/** The part of it that running one hook needs. */
export type RunServices = Pick<
  EngineServices,
  'trust' | 'slots' | 'nested' | 'afterwards' | 'background' | 'home' | 'later'
>
