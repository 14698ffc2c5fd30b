import type { Audience } from './audience.ts'
import type { EffectName, Opinion } from './effects.ts'
import { type EventRow, row } from './event-row.ts'
import { optional, type PayloadOf } from './field.ts'
import { type common, compaction, field, notice, permissionRule, toolCall } from './fields.ts'

/** An agent that a hook sends back to work goes on after this many times in a row. */
const sentBack = { cap: 3, flag: 'stop_hook_active' } as const

/**
 * The event table. Everything that is true of an event is in its row; shared code asks the row and never names an
 * event. Types, validation, JSON Schema, docs and the failure matrix derive from here. A new event is one row.
 */
export const events = {
  session_start: row({
    doc: 'A session begins or is resumed.',
    payload: {
      source: optional(field.source('One of startup, resume, clear, compact.')),
      status: optional(field.status),
    },
    subject: { source: 'source' },
    effects: ['context', 'halt'],
    context: 'session',
    failure: 'open',
  }),
  session_end: row({
    doc: 'A session ends; fires on interruption too.',
    payload: {
      reason: optional(field.reason('One of clear, logout, prompt_input_exit, deleted, other.')),
      status: optional(field.status),
    },
    subject: { source: 'reason' },
    effects: [],
    failure: 'open',
  }),
  on_session_resume: row({
    doc: 'The user approved going on past the iteration limit.',
    payload: {
      previous_max_iterations: optional(field.previousMaxIterations),
      new_max_iterations: optional(field.newMaxIterations),
    },
    effects: [],
    failure: 'open',
  }),
  before_run: row({
    doc: 'A run begins.',
    payload: { prompt: optional(field.prompt) },
    effects: ['halt'],
    failure: 'open',
  }),
  after_run: row({ doc: 'A run ended.', payload: { result: optional(field.result) }, effects: [], failure: 'open' }),
  run_error: row({ doc: 'A run failed.', payload: { error: optional(field.error) }, effects: [], failure: 'open' }),
  user_prompt_submit: row({
    doc: 'A message of the user was accepted; the model has not seen it yet.',
    payload: { prompt: field.prompt, channel: optional(field.channel), attachments: optional(field.attachments) },
    subject: { source: 'channel' },
    effects: ['decision', 'halt', 'rewrite', 'context'],
    deny: 'the turn is aborted; the user sees why',
    rewrites: 'prompt',
    context: 'turn',
    failure: 'closed',
  }),
  user_steering_messages_submit: row({
    doc: 'Messages sent while the agent was working are about to be given to it.',
    payload: { steering_messages: field.steeringMessages },
    effects: ['decision', 'halt', 'rewrite', 'context'],
    deny: 'the run stops',
    rewrites: 'steering_messages',
    context: 'turn',
    failure: 'closed',
  }),
  user_followup_submit: row({
    doc: 'A message queued for the end of the turn starts a turn of its own.',
    payload: { prompt: field.prompt },
    effects: ['decision', 'halt', 'rewrite', 'context'],
    deny: 'the follow-up is dropped',
    rewrites: 'prompt',
    context: 'turn',
    failure: 'closed',
  }),
  on_user_input: row({ doc: 'The agent waits for the user.', payload: {}, effects: [], failure: 'open' }),
  turn_start: row({
    doc: 'A turn (one model call) begins.',
    payload: {},
    effects: ['context', 'halt'],
    context: 'turn',
    failure: 'open',
  }),
  turn_end: row({
    doc: 'A turn ended, however it ended.',
    payload: {
      reason: optional(field.reason('One of normal, continue, steered, error, canceled, hook_blocked, loop_detected.')),
      success: optional(field.success),
      tool_calls: optional(field.toolCalls),
    },
    subject: { source: 'reason' },
    effects: [],
    failure: 'open',
  }),
  before_llm_call: row({
    doc: 'The model is about to be called; the messages are assembled.',
    payload: {
      iteration: optional(field.iteration),
      model_id: optional(field.modelId),
      system: optional(field.system),
      last_user_message: optional(field.lastUserMessage),
      messages: optional(field.messages),
    },
    effects: ['decision', 'halt', 'rewrite', 'context'],
    deny: 'the run stops',
    rewrites: 'messages',
    context: 'turn',
    failure: 'closed',
  }),
  after_llm_call: row({
    doc: 'The model answered; the answer is not recorded yet.',
    payload: {
      response: optional(field.response),
      last_user_message: optional(field.lastUserMessage),
      model_id: optional(field.modelId),
      usage: optional(field.usage),
      cost: optional(field.cost),
    },
    effects: ['halt', 'rewrite'],
    rewrites: 'response',
    failure: 'open',
  }),
  model_fallback: row({
    doc: 'A model failed and the next of the chain is tried.',
    payload: { primary: optional(field.primary), fallback: optional(field.fallback), error: optional(field.error) },
    effects: [],
    failure: 'open',
  }),
  tool_guard: row({
    doc: 'The final input of a tool call is judged, whatever the permission rules say.',
    payload: { ...toolCall, ...permissionRule },
    subject: { tool: 'tool_name', args: 'tool_input' },
    effects: ['decision', 'halt'],
    deny: 'the call is refused; `allow` is only advice',
    asks: true,
    failure: 'closed',
    within: { pre_tool_use: 'after' },
  }),
  pre_tool_use: row({
    doc: 'A tool is about to be called.',
    payload: { ...toolCall, ...permissionRule },
    subject: { tool: 'tool_name', args: 'tool_input' },
    effects: ['decision', 'halt', 'rewrite', 'context'],
    deny: 'the call is refused; the model sees why',
    asks: true,
    rewrites: 'tool_input',
    context: 'turn',
    failure: 'closed',
  }),
  permission_request: row({
    doc: 'The user is about to be asked to approve a tool call.',
    payload: { ...toolCall, ...permissionRule },
    subject: { tool: 'tool_name', args: 'tool_input' },
    effects: ['decision', 'halt', 'rewrite'],
    deny: 'refused without asking the user',
    asks: true,
    asksPerson: true,
    rewrites: 'tool_input',
    failure: 'closed',
  }),
  on_tool_approval_decision: row({
    doc: 'The approval of a tool call was decided.',
    payload: {
      ...toolCall,
      approval_decision: optional(field.approvalDecision),
      approval_source: optional(field.approvalSource),
      approval_by: optional(field.approvalBy),
      approval_reason: optional(field.approvalReason),
      approval_ms: optional(field.approvalMs),
    },
    subject: { tool: 'tool_name', args: 'tool_input', source: 'approval_source' },
    effects: [],
    failure: 'open',
  }),
  tool_response_transform: row({
    doc: 'A tool returned; nobody has seen the result yet.',
    payload: {
      ...toolCall,
      tool_response: optional(field.toolResponse),
      tool_error: optional(field.toolError),
      attachments: optional(field.attachments),
    },
    subject: { tool: 'tool_name', args: 'tool_input' },
    effects: ['halt', 'rewrite'],
    rewrites: 'tool_response',
    failure: 'open',
    within: { post_tool_use: 'before', post_tool_use_failure: 'before' },
  }),
  post_tool_use: row({
    doc: 'A tool returned, or failed (`tool_error`), and its result is about to be given to the model.',
    payload: {
      ...toolCall,
      tool_response: optional(field.toolResponse),
      tool_error: optional(field.toolError),
      error: optional(field.error),
      success: optional(field.success),
      attachments: optional(field.attachments),
    },
    subject: { tool: 'tool_name', args: 'tool_input' },
    effects: ['decision', 'halt', 'rewrite', 'context'],
    deny: 'the run stops after the batch',
    rewrites: 'tool_response',
    context: 'turn',
    failure: 'open',
  }),
  post_tool_use_failure: row({
    doc: 'A tool failed.',
    payload: { ...toolCall, error: optional(field.error), tool_response: optional(field.toolResponse) },
    subject: { tool: 'tool_name', args: 'tool_input' },
    effects: ['context', 'halt'],
    context: 'turn',
    failure: 'open',
  }),
  on_response_end: row({
    doc: 'The reply of the turn is assembled.',
    payload: {
      response: field.response,
      model_id: optional(field.modelId),
      tokens: optional(field.tokens),
      tool_names: optional(field.toolNames),
      turn_cost_usd: optional(field.turnCost),
    },
    effects: ['halt', 'rewrite'],
    rewrites: 'response',
    failure: 'open',
  }),
  stop: row({
    doc: 'The agent wants to stop.',
    payload: {
      response: optional(field.response),
      last_user_message: optional(field.lastUserMessage),
      tool_names: optional(field.toolNames),
      model_id: optional(field.modelId),
      stop_hook_active: optional(field.stopHookActive),
    },
    effects: ['decision', 'halt', 'context'],
    deny: 'do it again, with the reason as instruction',
    redo: sentBack,
    context: 'turn',
    failure: 'open',
  }),
  on_completion_claim: row({
    doc: 'The agent claims that its goal is reached.',
    payload: {
      goal: optional(field.goal),
      summary: optional(field.summary),
      response: optional(field.response),
      tool_names: optional(field.toolNames),
      stop_hook_active: optional(field.stopHookActive),
    },
    effects: ['decision', 'halt', 'context'],
    deny: 'the goal loop goes on',
    redo: sentBack,
    context: 'turn',
    failure: 'open',
  }),
  on_outbound_message: row({
    doc: 'A message is about to leave to an outside channel.',
    payload: {
      notification: field.notification,
      type: optional(field.outboundType),
      channel: optional(field.channel),
    },
    subject: { source: 'type' },
    effects: ['decision', 'halt', 'rewrite'],
    deny: 'the message is not sent',
    rewrites: 'notification',
    failure: 'closed',
  }),
  subagent_start: row({
    doc: 'A sub-agent begins.',
    payload: { parent_session_id: optional(field.parentSessionId), task: optional(field.task) },
    effects: ['context', 'halt'],
    context: 'turn',
    failure: 'open',
  }),
  subagent_stop: row({
    doc: 'A sub-agent finished.',
    payload: {
      parent_session_id: optional(field.parentSessionId),
      response: optional(field.response),
      stop_hook_active: optional(field.stopHookActive),
    },
    effects: ['decision', 'halt'],
    deny: 'do it again, with the reason as instruction',
    redo: sentBack,
    failure: 'open',
  }),
  on_agent_switch: row({
    doc: 'Another agent becomes active.',
    payload: {
      from_agent: optional(field.fromAgent),
      to_agent: optional(field.toAgent),
      agent_switch_kind: optional(field.agentSwitchKind),
      from_agent_models: optional(field.agentModels),
    },
    subject: { source: 'agent_switch_kind' },
    effects: [],
    failure: 'open',
  }),
  pre_compact: row({
    doc: 'The transcript is about to be compacted; hooks may steer the summary.',
    payload: { source: optional(field.source('One of manual, auto, overflow, tool_overflow.')) },
    subject: { source: 'source' },
    effects: ['decision', 'halt', 'context'],
    deny: 'compaction is cancelled',
    context: 'compaction',
    failure: 'open',
  }),
  before_compaction: row({
    doc: 'The transcript is about to be compacted; hooks may veto, or supply the summary.',
    payload: compaction,
    subject: { source: 'compaction_reason' },
    effects: ['decision', 'halt', 'rewrite'],
    deny: 'compaction is vetoed',
    rewrites: 'summary',
    failure: 'open',
  }),
  after_compaction: row({
    doc: 'The transcript was compacted.',
    payload: compaction,
    subject: { source: 'compaction_reason' },
    effects: [],
    failure: 'open',
  }),
  notification: row({
    doc: 'The host reports something to the user.',
    payload: notice,
    subject: { source: 'notification_level' },
    effects: [],
    failure: 'open',
  }),
  on_error: row({
    doc: 'The host hit an error.',
    payload: notice,
    effects: [],
    failure: 'open',
  }),
  on_max_iterations: row({
    doc: 'The run reached its iteration limit.',
    payload: notice,
    effects: [],
    failure: 'open',
  }),
  worktree_create: row({
    doc: 'A git worktree was made for the run; the session does not exist yet.',
    payload: {
      worktree_path: optional(field.worktreePath),
      worktree_branch: optional(field.worktreeBranch),
      worktree_source_dir: optional(field.worktreeSourceDir),
    },
    effects: ['decision', 'halt', 'context'],
    deny: 'the run is aborted',
    context: 'terminal',
    failure: 'closed',
  }),
}

export type EventName = keyof typeof events
export type Payload<E extends EventName> = Payloads[E]
type Payloads = { [E in EventName]: PayloadOf<typeof common & (typeof events)[E]['fields']> }
export type Honoured<E extends EventName> = (typeof events)[E]['effects'][number]

/** What a hook of this event may answer: an effect that the event does not honour does not compile. */
export type OpinionFor<E extends EventName> = Opinions[E]

/** Spelled out per event, not computed from a name: so the checker knows the literals inside a function's answer. */
type Opinions = {
  [E in EventName]: { [N in Honoured<E>]?: Opinion[N] } & { [N in Exclude<EffectName, Honoured<E>>]?: never }
}

export const eventNames = Object.keys(events) as EventName[]
export const eventRow = (name: EventName): EventRow => events[name] as unknown as EventRow

/** Names are read in any case, with or without separators: `PreToolUse`, `pre_tool_use`, `PRE-TOOL-USE`. */
export const foldName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

const byFoldedName = new Map(eventNames.map((name) => [foldName(name), name]))
export const findEvent = (name: string): EventName | undefined => byFoldedName.get(foldName(name))

/** The agent that raises events, as the journal names it. */
export interface HostInfo {
  name: string
  version?: string
}

/** One moment raised by a host. The payload is frozen: hooks share it. */
export interface Event<E extends EventName = EventName> {
  readonly name: E
  readonly payload: Readonly<Payload<E>> & Readonly<Record<string, unknown>>
  /** How many hooks deep this was raised: 0 by a host, 1 by the work of a hook, … */
  readonly depth: number
  /** Raised by `doctor`, `test` or `explain`, not by life. */
  readonly synthetic: boolean
  /** Who raised it, for the record. */
  readonly raisedBy?: HostInfo
  /** The system of the host that raised it, when it used another dialect than `native`. */
  readonly host?: string
  /** Who can answer when it is asked about. Absent: a person. */
  readonly audience?: Audience
  /** The call as that host wrote it; the payload has it in our words. */
  readonly original?: OriginalCall
}

/** A call of a foreign host, untouched, beside what it became. */
export interface OriginalCall {
  readonly tool: string
  readonly input: unknown
  readonly result?: unknown
  /** The same in our words, or the part of it that this event is about. */
  readonly ours: { readonly input: unknown; readonly result?: unknown }
  /** How many calls of ours it is. */
  readonly parts: number
}
