import type { EventName, Note, Where } from '../../core/index.ts'
import { didYouMean, foldName, note } from '../../core/index.ts'

/** The field of `hook_specific_output` that carries a rewrite. */
export type RewriteField = 'updated_input' | 'updated_tool_response' | 'updated_messages' | 'summary'

/** What docker-agent's document says of one event. */
export interface Row {
  /** Its own payload fields, in the order of the document; the common ones go before. */
  payload: readonly string[]
  /** "Can block?" in its table. */
  blocks: boolean
  /** Entries are groups with a `matcher` for tool names; of other events, they are the hooks themselves. */
  grouped: boolean
  /** Reads `permission_decision`. */
  permits: boolean
  /** `ask` makes a difference: on `permission_request` the user is about to be asked anyway. */
  asks: boolean
  /** Takes plain text and `additional_context`. */
  context: boolean
  /** Takes `metadata`. */
  metadata: boolean
  rewrite?: RewriteField
}

type Can = 'blocks' | 'grouped' | 'permits' | 'asks' | 'context' | 'metadata'

function row(payload: string, can: readonly Can[] = [], rewrite?: RewriteField): Row {
  return {
    payload: payload.split(' ').filter(Boolean),
    blocks: can.includes('blocks'),
    grouped: can.includes('grouped'),
    permits: can.includes('permits'),
    asks: can.includes('asks'),
    context: can.includes('context'),
    metadata: can.includes('metadata'),
    ...(rewrite ? { rewrite } : {}),
  }
}

const call = 'tool_name tool_use_id tool_input'
const compaction = 'input_tokens output_tokens context_limit compaction_reason'
const notification = 'notification_level notification_message'

/** For an event that docker-agent does not have. */
export const observer: Row = row('')

/**
 * The events, under our names; theirs are the same, but for the lane. `messages`, `tool_category` and
 * `from_agent_models` are sent by docker-agent where a host has them, though its table does not list them.
 */
const rows: Partial<Record<EventName, Row>> = {
  tool_guard: row(`agent_name ${call}`, ['blocks', 'grouped', 'permits', 'asks', 'metadata']),
  pre_tool_use: row(`agent_name ${call}`, ['blocks', 'grouped', 'permits', 'asks'], 'updated_input'),
  tool_response_transform: row(`tool_category ${call} tool_response`, ['grouped'], 'updated_tool_response'),
  post_tool_use: row(`agent_name ${call} tool_response tool_error`, ['blocks', 'grouped', 'context']),
  permission_request: row(`agent_name ${call}`, ['blocks', 'grouped', 'permits', 'metadata'], 'updated_input'),
  session_start: row('source', ['context']),
  user_prompt_submit: row('prompt', ['blocks', 'context']),
  user_steering_messages_submit: row('steering_messages', ['blocks', 'context']),
  user_followup_submit: row('prompt', ['blocks', 'context']),
  turn_start: row('', ['context']),
  turn_end: row('agent_name reason'),
  before_llm_call: row('iteration model_id messages', ['blocks'], 'updated_messages'),
  after_llm_call: row('agent_name stop_response last_user_message model_id usage cost'),
  session_end: row('reason'),
  pre_compact: row('source', ['blocks', 'context']),
  before_compaction: row(compaction, ['blocks'], 'summary'),
  after_compaction: row(`${compaction} summary`),
  subagent_stop: row('agent_name parent_session_id stop_response'),
  on_user_input: row(''),
  stop: row('agent_name stop_response last_user_message', ['context']),
  notification: row(notification),
  on_error: row(notification),
  on_max_iterations: row(notification),
  on_agent_switch: row('from_agent to_agent agent_switch_kind from_agent_models'),
  on_session_resume: row('previous_max_iterations new_max_iterations'),
  on_tool_approval_decision: row(`${call} approval_decision approval_source`),
  worktree_create: row('worktree_path worktree_branch worktree_source_dir', ['blocks', 'context']),
}

/** `preempt_yolo: true` entries run in a lane of their own; their payload names `pre_tool_use`. */
export const lane: EventName = 'tool_guard'
export const laneOf: EventName = 'pre_tool_use'

/** "Fail-closed for safety", whatever the hook says. */
export const failsClosed = (event: EventName): boolean => event === laneOf || event === lane

export const rowOf = (event: EventName): Row => rows[event] ?? observer

const known = (Object.keys(rows) as EventName[]).filter((name) => name !== lane)

/** Our name → theirs. The lane has no name of its own: nobody but docker-agent itself raises it. */
export const theirNames: Partial<Record<EventName, string>> = Object.fromEntries(known.map((name) => [name, name]))
export const theirName = (event: EventName): string => (event === lane ? laneOf : event)

const byFoldedName = new Map(known.map((name) => [foldName(name), name]))

/** Theirs, in any spelling → ours. */
export const findTheirs = (name: string): EventName | undefined => byFoldedName.get(foldName(name))

export function unknownEvent(event: string, where?: Where): Note {
  const details = { event, hint: didYouMean(event, known), known: known.join(', ') }
  return note('unknown-event', details, where ? { where } : {})
}

/** Every payload field there is, by the name their prompts know it by: `tool_use_id` is `.ToolUseID`. */
export const promptFields: ReadonlyMap<string, string> = new Map(
  ['session_id', 'cwd', 'hook_event_name', ...known.flatMap((name) => rows[name]!.payload)].map((field) => [
    promptName(field),
    field,
  ]),
)

export function promptName(field: string): string {
  const words = field.split('_').map((word) => (word === 'id' ? 'ID' : word.charAt(0).toUpperCase() + word.slice(1)))
  return words.join('')
}

/** Payload fields that have another name here: theirs → ours. */
const renamed: Record<string, string> = { stop_response: 'response' }
export const ourField = (theirs: string): string => (Object.hasOwn(renamed, theirs) ? renamed[theirs]! : theirs)
export const theirField = (ours: string): string => (ours === 'response' ? 'stop_response' : ours)
