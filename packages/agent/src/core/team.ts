/** An agent file, parsed and checked. It has docker-agent's structure under our names. */
export interface Team {
  /** Where it was read; absent for the default agent. */
  file?: string
  agents: Readonly<Record<string, AgentSpec>>
  /** The agent that starts: `root`, else the first. */
  root: string
  models: Readonly<Record<string, ModelSpec>>
  permissions: PermissionRules
  /** What all agents together may spend in a session. */
  budget?: Budget
  /** Pots by name; agents draw from those that they name. */
  budgets?: Readonly<Record<string, Budget>>
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
  /** Who takes over when this agent has answered. */
  forceHandoff?: string
  /** Model calls in one run before it pauses and asks; absent: no limit. */
  maxIterations?: number
  /** The same tool call this often in a row ends the turn. */
  maxConsecutiveToolCalls: number
  /**
   * The hooks of the agent as written: `hooks:`, and the flags that imply some (`add_date`, `redact_secrets`, `safer`
   * …). The docker-agent dialect knows what they mean; see `hooksOf`.
   */
  hooks: Readonly<Record<string, unknown>>
  welcome?: string
  /** Prompts by name, for `/name`. */
  commands?: Readonly<Record<string, string>>
  /** Folders with a SKILL.md that it can read: all that are found, or those of these names. */
  skills?: true | readonly string[]
  /** What every answer must look like, for providers that can hold to it. */
  output?: { name: string; schema: Readonly<Record<string, unknown>> }
  /** Pots that it draws from, together with others that do. */
  budgets?: readonly string[]
  /** How often a model call is retried before the next model is tried. */
  retries?: number
  /** After a rate limit, how long the fallback model stays the first to be tried. */
  cooldownMs?: number
  /** The share of the context window at which the transcript is compacted; a setting of the model wins. */
  compactAt?: number
  /** The model that writes the summary; absent: the agent's own. */
  compactionModel?: string
  /** Only the user and hooks compact. */
  noCompaction?: true
}

/** Limits for a session, in docker-agent's words; each is optional. */
export interface Budget {
  /** USD. */
  max_cost?: number | undefined
  /** Of requests and answers together. */
  max_tokens?: number | undefined
  /** The time that agents work, such as `10m`. */
  max_time?: string | undefined
}

/** How much of a budget is used: USD, tokens and milliseconds. */
export interface BudgetUse {
  name: string
  max: Budget
  used: Readonly<Record<keyof Budget, number>>
}

export interface ToolsetSpec {
  type: string
  [option: string]: unknown
}

/** Another coding agent that answers in place of a model. */
export interface HarnessSpec {
  /** docker-agent's name for it: `claude-code`, `codex`. */
  type: string
  model?: string
  effort?: string
}

export interface ModelSpec {
  provider: string
  harness?: HarnessSpec
  model: string
  baseURL?: string
  /** The variable that holds the key. */
  keyVariable?: string
  /** Use OpenAI's Responses API at the base URL. Most servers there only know chat completions. */
  responses?: true
  temperature?: number
  topP?: number
  topK?: number
  frequencyPenalty?: number
  presencePenalty?: number
  seed?: number
  maxOutputTokens?: number
  /** An effort (`none` to `max`), or tokens. */
  thinking?: string | number
  contextLimit?: number
  /** How long it may stay silent before it counts as unavailable. */
  timeoutMs?: number
  /** In USD per million tokens, instead of the table's; all zero is free. */
  price?: Price
  unloadApi?: string
  compactAt?: number
  compactionModel?: string
  /** Other models for some questions, by examples of them. */
  routes?: readonly { model: string; examples: readonly string[] }[]
  headers?: Readonly<Record<string, string>>
  /** Other settings of the provider, passed on. */
  options?: Readonly<Record<string, unknown>>
}

/** USD per million tokens. */
export interface Price {
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
}

/** What is known of a model: its price, and how much fits into it. */
export interface PriceRow extends Price {
  /** Tokens that fit into one request. */
  context?: number
  /** Requests with more tokens than this cost what `beyond` names; absent, their price is not known. */
  upTo?: number
  beyond?: Price
}

/** Patterns such as `shell`, `mcp_github_*` or `shell:command=git *`. Deny beats ask beats allow. */
export interface PermissionRules {
  allow: readonly string[]
  ask: readonly string[]
  deny: readonly string[]
}

export const noRules: PermissionRules = { allow: [], ask: [], deny: [] }
