export { combine, combineParts, combineRanked, type Ranked, rankOf } from './combine.ts'
export { dispatch, runLater, skipAll } from './dispatch.ts'
export { failureOpinion, failurePolicy } from './honour.ts'
export {
  type HookIndex,
  identityOf,
  type Members,
  makeHookIndex,
  type Plan,
  type PlanEntry,
  type ReadyHook,
} from './hook-index.ts'
export { makeSlots, type Slots } from './limits.ts'
export { type CompiledTest, compileTest, type PatternCompiler } from './match.ts'
export { plan } from './plan.ts'
export { makeRedoCounts, type RedoCounts } from './redo.ts'
export { type Ran, run } from './run.ts'
export type { EngineServices, Later, RunServices, Trust } from './services.ts'
export { seenBy } from './tool-names.ts'
