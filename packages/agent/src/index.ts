/**
 * The agent as a library: open one, hand it `raise`, and read its files.
 * @module
 */

import type { HostedOptions } from './terminal/index.ts'

export {
  type AgentSpec,
  type Approval,
  type ApprovalRequest,
  type AssistantMessage,
  type Attachment,
  type Boundary,
  type Budget,
  type BudgetUse,
  type Durable,
  type Happening,
  type Message,
  type Model,
  ModelError,
  type ModelErrorKind,
  type ModelPart,
  type ModelRequest,
  type ModelSpec,
  type OpenTools,
  type PermissionRules,
  type Person,
  type SessionLog,
  type SessionRecord,
  type SystemMessage,
  type Team,
  type Tool,
  type ToolCall,
  type ToolMessage,
  type ToolResult,
  type ToolRun,
  type ToolsetSpec,
  type Usage,
  type UserMessage,
  type Watch,
} from './core/index.ts'
export {
  type Agent,
  type AgentOptions,
  NotOpened,
  openAgent,
  type PromptOptions,
  type Raise,
  type RunEnd,
} from './loop/index.ts'
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
export { createPermissions, type PermissionMode, type Permissions, permissionModes } from './permissions/index.ts'
export { exportSession, openSessionStore, type SessionStore, type SessionSummary } from './sessions/index.ts'
export {
  defaultTeam,
  hookFileOf,
  hooksOf,
  loadRehearsal,
  loadTeam,
  type ReadTeam,
  readTeam,
  rehearsalsBeside,
  type TeamSource,
} from './team/index.ts'
export {
  type Container,
  type OpenToolsOptions,
  openContainer,
  openSandbox,
  openTools,
  type SandboxSession,
} from './tools/index.ts'

export type { HostedOptions }
/** A session with all that `hookline run` has, for a program whose person sits elsewhere. */
export const openHosted = async (options: HostedOptions) => (await import('./terminal/index.ts')).openHosted(options)
