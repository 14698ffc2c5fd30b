export {
  type AdapterHooks,
  type AdapterOptions,
  type Ask,
  adapterNotes,
  openAdapter,
  type RunAbout,
  watched,
  withContext,
} from './adapter.ts'
export { sha256 } from './approvals.ts'
export type {
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalQuestion,
  EditedInput,
  Execute,
  Execution,
  GuardedCall,
  GuardOptions,
  Halted,
  HostRuling,
  Json,
  JudgedTool,
  JudgeOptions,
  Raise,
  Ran,
  RanWithError,
  Refused,
  Rewritable,
  RunOptions,
  Seam,
  Step,
  ToolOutcome,
} from './contract.ts'
export {
  type Conversation,
  type ConversationHooks,
  type ConversationOptions,
  type IdentifiedCall,
  type ModelCall,
  mayRewriteAnswers,
  openConversation,
  type Transcript,
} from './conversation.ts'
export { guardTool } from './guard-tool.ts'
export { judgeTool } from './judge-tool.ts'
export type { ModelAnswer, ModelOptions, ModelOutcome, ModelRequest } from './model.ts'
export {
  type HookSession,
  makeSession,
  type Prompted,
  type SessionDefaults,
  type Started,
  type Stopped,
} from './session.ts'
