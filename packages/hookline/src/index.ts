/**
 * The library: create hooks, raise events, read verdicts.
 * @module
 */
export {
  type Builtin,
  type BuiltinExample,
  type BuiltinKit,
  type Call,
  type Decision,
  type Dialect,
  defineBuiltin,
  defineDialect,
  defineExecutor,
  type EventName,
  type Executor,
  eventNames,
  type Failure,
  type FailureKind,
  type Halt,
  type Hook,
  HookFailure,
  HooklineError,
  memoryState,
  type Note,
  type Opinion,
  type OpinionFor,
  type Outcome,
  type Payload,
  type Report,
  type Rewrite,
  type Ruling,
  readableReason,
  type StandardSchema,
  type StatePlace,
  type StateStore,
  type Verdict,
  type Where,
} from './core/index.ts'
export type { Plan, PlanEntry, Trust } from './engine/index.ts'
export { fileState, type Handler } from './executors/index.ts'
export {
  type CodeHook,
  type Converted,
  convert,
  createHooks,
  type FunctionOptions,
  type Hooks,
  type HooksOptions,
  type RaiseOptions,
} from './hooks/index.ts'
export { type Journal, type JournalOptions, openJournal, queryJournal, verifyJournal } from './journal/index.ts'
export { type Approver, openTrust, type TrustOptions } from './trust/index.ts'
