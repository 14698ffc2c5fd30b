import type { PermissionRules } from './permissions/rules.ts'

/** What an agent file says, read and checked: docker-agent's shape, in our words. */
export interface Team {
  /** Where it was read; absent for the default agent. */
  file?: string
  agents: Readonly<Record<string, AgentSpec>>
  /** The agent that starts: `root`, else the first. */
  root: string
  models: Readonly<Record<string, ModelSpec>>
  permissions: PermissionRules
  /** Take snapshots of the workspace around turns (`settings.snapshot`). */
  snapshot: boolean
}

export interface AgentSpec {
  name: string
  description: string
  instruction: string
  /** The models to try, in order: names of `models`, or `provider/model`. */
  models: readonly string[]
  toolsets: readonly ToolsetSpec[]
  subAgents: readonly string[]
  handoffs: readonly string[]
  /** Model calls in one run before it pauses and asks; absent: no limit. */
  maxIterations?: number
  /** The same tool call this often in a row ends the turn. */
  maxConsecutiveToolCalls: number
  /** As written, in docker-agent's tongue: whoever composes the hooks decodes it. With what the flags (`add_date`, `redact_secrets` …) stand for. */
  hooks: unknown
  welcome?: string
}

export interface ToolsetSpec {
  type: string
  [option: string]: unknown
}

export interface ModelSpec {
  provider: string
  model: string
  baseURL?: string
  /** The variable that holds the key. */
  keyVariable?: string
  temperature?: number
  maxOutputTokens?: number
  contextLimit?: number
  unloadApi?: string
  /** Other settings of the provider, passed on. */
  options?: Readonly<Record<string, unknown>>
}
