export {
  type AssistantMessage,
  isToolCall,
  type Message,
  type Model,
  ModelError,
  type ModelErrorKind,
  type ModelPart,
  type ModelRequest,
  modelErrorKinds,
  type SystemMessage,
  type ToolCall,
  type ToolMessage,
  type Usage,
  type UserMessage,
} from './model.ts'
export type { Approval, ApprovalRequest, Happening, Person, SessionLog, SessionRecord, Watch } from './session.ts'
export {
  type AgentSpec,
  type ModelSpec,
  noRules,
  type PermissionRules,
  type Price,
  type PriceRow,
  type Team,
  type ToolsetSpec,
} from './team.ts'
export { type OpenTools, type Tool, ToolFailure, type ToolResult, type ToolRun } from './tool.ts'
export {
  clip,
  count,
  duration,
  type Environment,
  expandAll,
  expandVariables,
  fillVariables,
  milliseconds,
  size,
} from './values.ts'
