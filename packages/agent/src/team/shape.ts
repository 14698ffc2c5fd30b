import { described } from 'hookline/internal'
import * as z from 'zod/mini'
import { duration } from '../core/index.ts'

/**
 * The parts of docker-agent's agent file that count here, by its schema (docker/docker-agent, agent-schema.json v15,
 * read in November 2026). Flags that stand for hooks, and `hooks:` itself, are the dialect's to check.
 */
const optional = <S extends z.ZodMiniType>(schema: S, description: string) => z.optional(described(schema, description))
const text = (description: string) => optional(z.string(), description)
const texts = (description: string) => optional(z.array(z.string()), description)
const count = (description: string) => optional(z.int().check(z.nonnegative()), description)
const share = (description: string) => optional(z.number().check(z.gt(0), z.lte(1)), description)
const between = (low: number, high: number) => z.number().check(z.gte(low), z.lte(high))
const price = (description: string) => optional(z.number().check(z.nonnegative()), description)
const asWritten = (description: string) => optional(z.unknown(), description)

const toolset = z.looseObject({ type: described(z.string().check(z.minLength(1)), 'Which tools.') })

export const fallbackShape = z.looseObject({
  models: texts('The models to try after the first, in order.'),
  retries: optional(z.int().check(z.gte(-1)), 'How often each is tried again; -1: never. 0: as usual.'),
  cooldown: optional(
    duration,
    'How long a model that took over after a rate limit stays the first to be tried; `1m`, if left out.',
  ),
})

const budgetShape = z.strictObject({
  max_cost: price('USD.'),
  max_tokens: count('Tokens of requests and answers together.'),
  max_time: optional(duration, 'The time that agents work, such as `10m`.'),
})

export const harnessShape = z.strictObject({
  type: described(z.string(), 'Which.'),
  model: text('The model that it should use.'),
  effort: optional(z.enum(['low', 'medium', 'high', 'max']), 'Of Claude Code: how much it thinks.'),
})

export const agentShape = z.strictObject({
  model: text(
    'The model: a name of `models`, `provider/model`, `auto` or `rehearsal`. Several, with commas: one after the other.',
  ),
  fallback: optional(fallbackShape, 'Models to try when the first fails.'),
  description: text('What the agent is for; other agents choose by it.'),
  instruction: text('The system prompt.'),
  instruction_file: optional(
    z.union([z.string(), z.array(z.string())]),
    'Instead: files with it, in the directory of this file or below.',
  ),
  readonly: optional(z.boolean(), 'Only tools that never change anything; the same of a single toolset.'),
  welcome_message: text('What the user reads at the start.'),
  toolsets: optional(z.array(toolset), 'The tools.'),
  use_toolsets: texts('Toolsets of the top level, by name.'),
  sub_agents: texts('Agents that it can give tasks to.'),
  handoffs: texts('Agents that it can hand the conversation to.'),
  force_handoff: text('The agent that takes over the conversation when this one has answered.'),
  max_iterations: count('Model calls in one run before it pauses and asks; 0: no limit.'),
  max_consecutive_tool_calls: count('The same tool call this often in a row ends the turn; 0: as usual.'),
  compaction_threshold: share(
    'The share of the context window at which the conversation is summed up; 0.9, if left out.',
  ),
  compaction_model: text('The model that writes the summary, instead of its own.'),
  session_compaction: optional(z.boolean(), 'False: the conversation is summed up only when you ask for it.'),
  commands: asWritten('Prompts by name: texts, or mappings with an `instruction` and a `description`.'),
  use_commands: texts('Commands of the top level, by name.'),
  hooks: asWritten('Hooks of this agent.'),
  add_date: asWritten('Tells the date at every turn.'),
  add_environment_info: asWritten('Tells the directory, the system and the repository at the start.'),
  add_prompt_files: asWritten('Files whose contents are sent at every turn.'),
  redact_secrets: asWritten('Takes secrets out of arguments, messages and results.'),
  skills: optional(
    z.union([z.boolean(), z.array(z.string())]),
    'Folders with a SKILL.md that it can read, of the project and at home: all of them, or those of these names.',
  ),
  structured_output: optional(
    z.looseObject({
      name: text('What the answer is called.'),
      description: text('What it is.'),
      strict: optional(z.boolean(), 'The provider must hold to it.'),
      schema: optional(z.record(z.string(), z.unknown()), 'Its JSON Schema.'),
    }),
    'What every answer must look like.',
  ),
  budgets: texts('Budgets of the top level that it draws from, by name.'),
  think: optional(z.boolean(), 'In files of version 0: the toolset `think`.'),
  todo: optional(z.union([z.boolean(), z.looseObject({})]), 'In files of version 0: the toolset `todo`.'),
  memory: optional(z.looseObject({}), 'In files of version 0: the toolset `memory`.'),
})
export type AgentEntry = z.infer<typeof agentShape>

const effort = z
  .string()
  .check(z.regex(/^(none|minimal|low|medium|high|xhigh|max|adaptive(\/(low|medium|high|xhigh|max))?|-1|\d+)$/))

const settings = {
  temperature: optional(between(0, 2), 'How freely it chooses its words.'),
  max_tokens: count('The most tokens of one answer; 0: as usual.'),
  top_p: optional(between(0, 1), 'How many words it chooses from.'),
  frequency_penalty: optional(between(-2, 2), 'Against repeating words.'),
  presence_penalty: optional(between(-2, 2), 'Against repeating subjects.'),
  base_url: text('Where it is served.'),
  token_key: text('The variable that holds the key.'),
  provider_opts: optional(z.record(z.string(), z.unknown()), 'Settings of the provider.'),
  thinking_budget: optional(
    z.union([
      z.int().check(z.gte(-1)),
      effort,
      z.strictObject({ effort: z.optional(effort), tokens: z.optional(z.int().check(z.gte(-1))) }),
    ]),
    'How much it thinks: tokens, or an effort such as `low` or `high`; also as `{ effort: … }` or `{ tokens: … }`.',
  ),
}
const compactionModel = text('The model that writes the summary, for agents that name none.')
const apiType = optional(z.enum(['openai_chatcompletions', 'openai_responses']), 'Which API the server has.')

export const modelShape = z.strictObject({
  provider: text('The provider, or one of `providers`.'),
  model: text('The name of the model there.'),
  type: text('In files of version 0: the provider.'),
  description: text('What it is good for.'),
  ...settings,
  compaction_model: compactionModel,
  headers: optional(z.record(z.string(), z.string()), 'Headers of every request.'),
  cost: optional(
    z.looseObject({
      input: price('USD per million tokens of input.'),
      output: price('USD per million tokens of output.'),
      cache_read: price('USD per million tokens read from a cache.'),
      cache_write: price('USD per million tokens written to a cache.'),
    }),
    'What it costs.',
  ),
  first_available: texts('The first of these whose key is there.'),
  routing: optional(
    z.array(
      z.looseObject({
        model: described(z.string(), 'The model that answers.'),
        examples: described(z.array(z.string()), 'What users say who should get it.'),
      }),
    ),
    'Other models for some questions: the one whose examples are nearest to what the user wrote.',
  ),
  compaction_threshold: share('The same as of the agent, and goes before it.'),
})
export type ModelEntry = z.infer<typeof modelShape>

export const providerShape = z.strictObject({
  provider: text('The kind of provider; openai when left out.'),
  api_type: apiType,
  unload_api: text('The address that unloads a model from memory.'),
  headers: optional(z.record(z.string(), z.string()), 'Headers of every request.'),
  ...settings,
  compaction_model: compactionModel,
})
export type ProviderEntry = z.infer<typeof providerShape>

export const permissionShape = z.strictObject({
  allow: texts('Calls that need no confirmation.'),
  ask: texts('Calls that are always asked about.'),
  deny: texts('Calls that are never made.'),
})

export const settingShape = z.strictObject({
  snapshot: optional(z.boolean(), 'Snapshots of the workspace around turns.'),
  hooks: asWritten('Hooks of every agent.'),
})

const record = (description: string) => optional(z.record(z.string(), z.unknown()), description)

export const fileShape = z.strictObject({
  agents: described(z.record(z.string(), z.unknown()), 'The agents by name.'),
  models: record('The models by name.'),
  providers: record('Providers of your own by name.'),
  permissions: optional(z.unknown(), 'Which calls are allowed, asked about, denied.'),
  settings: optional(z.unknown(), 'Settings for every agent.'),
  budget: optional(budgetShape, 'What all agents together may spend in a session before it stops.'),
  budgets: optional(z.record(z.string(), budgetShape), 'Budgets by name, each shared by the agents that name it.'),
  mcps: optional(z.record(z.string(), z.looseObject({})), 'MCP servers by name.'),
  toolsets: optional(z.record(z.string(), toolset), 'Toolsets by name.'),
  commands: record('Commands by name.'),
  version: asWritten('The version of the format.'),
  metadata: asWritten('About the file.'),
  hooks: asWritten('Hooks of every agent.'),
})

/** What docker-agent knows and is not done here, and what to do instead. */
export const unsupported = {
  file: {
    rag: 'Let the agent search files, or use an MCP server.',
    skills: 'Write `skills: true` on the agent.',
    runtime: 'Give `--sandbox` on the command line.',
    flavors: 'Keep one file for each.',
    env: 'Set the variables before you start it.',
    workflow: 'Let one agent give tasks to the others: `sub_agents`, or `force_handoff` for a fixed order.',
  },
  agent: {
    code_mode_tools: 'The model calls tools one by one.',
    add_description_parameter: 'Tools are called without it.',
    add_prompt_files_depth: 'Name the files with their paths in `add_prompt_files`.',
    safety: 'Write `permissions`, or give `--yolo` on the command line.',
    max_old_tool_call_tokens: 'Old results are summed up when the conversation becomes too long.',
    max_tool_result_tokens: 'Results of more than 50 KiB are cut anyway.',
    num_history_items: 'The conversation is summed up when it becomes too long.',
    cache: 'Every question goes to the model.',
    use_skills: 'Put the text into `instruction`, or into a file of `add_prompt_files`.',
    rag: 'Let the agent search files, or use an MCP server.',
    name: 'An agent is called by its key under `agents`.',
  },
  fallback: {
    no_fallback_status_codes: 'The next model is tried after every failure.',
  },
  model: {
    parallel_tool_calls: 'The model decides.',
    bypass_models_gateway: 'There is no gateway.',
    track_usage: 'Usage is always tracked.',
    task_budget: 'Use `max_tokens`, or `max_iterations` of the agent.',
    auth: 'Name the variable of a key in `token_key`.',
    title_model: 'Sessions have no titles of their own.',
    capabilities: 'What is sent is what there is.',
    env: 'Set the variables before you start it.',
  },
} as const satisfies Record<string, Record<string, string>>

/** Toolsets that docker-agent has; those that are not in our table are noted, and never taken for slips of the pen. */
export const othersToolsets: readonly string[] = [
  ...['a2a', 'api', 'git', 'lsp', 'mcp_catalog', 'model_picker', 'open_url', 'openapi', 'plan', 'rag', 'scheduler'],
  ...['environment', 'session_context', 'session_plan', 'tasks', 'webhook'],
]
