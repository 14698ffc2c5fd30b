import type { EventName } from '../../core/index.ts'
import { nameTable } from '../common/config.ts'

/** What Everruns' document says of one event. */
export interface Row {
  /** The keys of `data`, theirs to ours. */
  data: Readonly<Record<string, string>>
  /** "Can block?" in its table. */
  blocks: boolean
  /** Has a tool; "setting a matcher on lifecycle events is rejected at validation time". */
  tool: boolean
  /** The keys of `patch` that mean something; the rest is advisory. */
  patch: readonly string[]
}

const call = { tool_name: 'tool_name', tool_call_id: 'tool_use_id', arguments: 'tool_input' }

const rows: Partial<Record<EventName, Row>> = {
  session_start: { data: { agent_id: 'agent_id' }, blocks: false, tool: false, patch: [] },
  user_prompt_submit: {
    data: { message: 'prompt', attachments: 'attachments' },
    blocks: true,
    tool: false,
    patch: ['message'],
  },
  pre_tool_use: { data: call, blocks: true, tool: true, patch: ['arguments'] },
  post_tool_use: {
    data: { ...call, result: 'tool_response', error: 'error', success: 'success' },
    blocks: false,
    tool: true,
    patch: ['result', 'error', 'additional_context'],
  },
  turn_end: { data: { success: 'success', tool_calls: 'tool_calls' }, blocks: false, tool: false, patch: [] },
  session_end: { data: { reason: 'reason' }, blocks: false, tool: false, patch: [] },
}

/** For an event that Everruns does not have. */
const observer: Row = { data: {}, blocks: false, tool: false, patch: [] }
/** Its six events have the same names here. */
export const { rowOf, theirNames, findTheirs } = nameTable(rows, observer, (_row, ours) => ours)
