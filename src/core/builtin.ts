import type * as z from 'zod/mini'
import type { Opinion } from './effects.ts'
import type { Event } from './event.ts'
import type { EventName, OpinionFor, Payload } from './events.ts'

/** What a builtin may use of the world. Handed in, so that builtins stay testable and the rooms stay apart. */
export interface BuiltinKit {
  signal: AbortSignal
  cwd: string
  home: string
  now(): Date
  env: Readonly<Record<string, string>>
  /** Runs a program without a shell; undefined when it is not installed or fails. */
  exec(
    program: string,
    args: readonly string[],
    options?: { cwd?: string; input?: string; env?: Record<string, string> },
  ): Promise<string | undefined>
  readFile(path: string): Promise<string | undefined>
  /** State that lives as long as the hooks do, by builtin and session. */
  memory<T>(key: string, create: () => T): T
}

/** A case that documents and tests the builtin at once. */
export interface BuiltinExample<E extends EventName = EventName> {
  title: string
  event: E
  payload: Payload<E>
  args?: unknown
  /** The opinion expected; `undefined` for none. Only the fields given are compared. */
  expect: Partial<Opinion> | undefined
}

export interface Builtin<E extends EventName = EventName, A = unknown> {
  name: string
  doc: string
  events: readonly E[]
  args: z.ZodMiniType<A>
  answer(event: Event<E>, args: A, kit: BuiltinKit): OpinionFor<E> | undefined | Promise<OpinionFor<E> | undefined>
  examples: readonly BuiltinExample<E>[]
  /** For guards: an event it must block with default args. `doctor` raises it to prove that the guard is live. */
  canary?: BuiltinExample<E>
}

/** Identity, for inference. */
export const defineBuiltin = <E extends EventName, A>(builtin: Builtin<E, A>): Builtin<E, A> => builtin
