/**
 * The library: create hooks, raise events, read verdicts.
 * @module
 */
export { type Converted, convert } from './convert.ts'
export type { Builtin, BuiltinExample, BuiltinKit } from './core/builtin.ts'
export { defineBuiltin } from './core/builtin.ts'
export type { Decision, Halt, Opinion, Rewrite, Ruling } from './core/effects.ts'
export { HooklineError, type Note, type Where } from './core/errors.ts'
export { type EventName, eventNames, type OpinionFor, type Payload } from './core/events.ts'
export { type Call, defineExecutor, type Executor } from './core/executor.ts'
export type { Hook } from './core/hook.ts'
export { type Failure, type FailureKind, HookFailure, type Outcome, type Report, type Verdict } from './core/outcome.ts'
export { readableReason } from './core/readable-reason.ts'
export { memoryState, type StatePlace, type StateStore } from './core/state.ts'
export type { Plan, PlanEntry, Trust } from './engine/index.ts'
export { fileState, type Handler } from './executors/index.ts'
export {
  type CodeHook,
  createHooks,
  type FunctionOptions,
  type Hooks,
  type HooksOptions,
  type RaiseOptions,
} from './hooks.ts'
export { type Journal, type JournalOptions, openJournal, queryJournal, verifyJournal } from './journal/index.ts'
export { type Approver, openTrust, type TrustOptions } from './trust/index.ts'
