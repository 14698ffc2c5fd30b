/**
 * What a call would do and whether that is wise, usable alone: actions of a call, commands, secrets, addresses, paths.
 * @module
 */
export type { ActionKind, Meaning, ToolCall, ToolRow } from './core/index.ts'
export * from './guards/index.ts'
export { type MachineLookOptions, machineLook } from './platform/look/index.ts'
export {
  type Action,
  type Actions,
  actionsOf,
  type CallAction,
  type FetchAction,
  isKnown,
  type Look,
  type PathAction,
  type RunAction,
  type SendAction,
  type Slot,
  type SpawnAction,
} from './rules/index.ts'
