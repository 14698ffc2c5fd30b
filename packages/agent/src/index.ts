/**
 * The agent as a library: open one, hand it `raise`, and read its files.
 * @module
 */
export { type Agent, type AgentOptions, NotOpened, type Raise, type RunEnd } from './agent.ts'
export { loadRehearsal, loadTeam, rehearsalsBeside } from './files.ts'
export type { Happening, Watch } from './happening.ts'
export { openAgent } from './loop/open.ts'
export type { AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, UserMessage } from './message.ts'
export { type Model, ModelError, type ModelErrorKind, type ModelPart, type ModelRequest, type Usage } from './model.ts'
export {
  type CallOptions,
  callModel,
  type ModelCall,
  type ModelsOptions,
  missingKey,
  openModels,
  playRehearsal,
  type Rehearsal,
  readRehearsal,
  rehearsalLanguageModel,
  rehearse,
  type Script,
  usualModel,
} from './models/index.ts'
export { createSender, type OutboundConfig, type Sender, type SenderOptions } from './outbound/index.ts'
export { createPermissions, type PermissionRules, type Permissions } from './permissions/index.ts'
export type { Approval, ApprovalRequest, Person } from './person.ts'
export type { SessionLog, SessionRecord } from './session-record.ts'
export { defaultTeam, hooksOf, type ReadTeam, readTeam, type TeamSource } from './team/index.ts'
export type { AgentSpec, ModelSpec, Team, ToolsetSpec } from './team.ts'
export type { OpenTools, Tool, ToolResult, ToolRun } from './tool.ts'
export { type OpenToolsOptions, openSandbox, openTools, type SandboxSession } from './tools/index.ts'
