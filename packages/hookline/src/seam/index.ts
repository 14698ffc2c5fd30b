export type {
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalQuestion,
  Execute,
  Execution,
  GuardedCall,
  GuardOptions,
  Halted,
  HostRuling,
  Json,
  Raise,
  Ran,
  RanWithError,
  Refused,
  Rewritable,
  Step,
  ToolOutcome,
} from './contract.ts'
export { guardTool } from './guard-tool.ts'
export type { ModelAnswer, ModelOptions, ModelOutcome, ModelRequest } from './model.ts'
export {
  type HookSession,
  makeSession,
  type Prompted,
  type SessionDefaults,
  type Started,
  type Stopped,
} from './session.ts'
