import type { EventName } from '../../core/index.ts'
import { nameTable } from '../common/config.ts'

/** The field of a reply that carries a rewrite; each is named as in the payload. */
export type RewriteField = 'tool_input' | 'message' | 'response' | 'notification'

export interface Field {
  theirs: string
  ours: string
  /** What a script reads when the host does not know; undefined: then it is left out. */
  empty: unknown
  /** Our event always has it, empty or not. */
  always: boolean
}

/** What Starchild's document says of one event. */
export interface Row {
  name: string
  /** "stdin gives the script", in the order of its table. */
  fields: readonly Field[]
  blocks: boolean
  /** "pre_llm_call only" */
  context: boolean
  rewrite?: RewriteField
}

/** `theirs` or `theirs=ours`; with `?`, sent only when known; with `!`, always in our payload. */
function row(name: string, fields: string, can: Partial<Pick<Row, 'blocks' | 'context' | 'rewrite'>> = {}): Row {
  return { name, fields: fields.split(' ').filter(Boolean).map(readField), blocks: false, context: false, ...can }
}

function readField(text: string): Field {
  const [theirs = '', ours = theirs] = text.replace(/[?!]$/, '').split('=')
  const empty = text.endsWith('?') ? undefined : Object.hasOwn(empties, theirs) ? empties[theirs] : ''
  return { theirs, ours, empty, always: text.endsWith('!') }
}

/** Fields that are no text. The document lists no value for one that is unknown. */
const empties: Record<string, unknown> = {
  tool_input: {},
  tool_result: null,
  tokens: {},
  tool_names: [],
  stop_hook_active: false,
}

/**
 * "Events (12) and what each can do". `turn_cost_usd` and the model of `on_stop` are in its templates, not in its
 * table. `post_llm_call` may "swap" the reply, and `on_user_message` "rewrite text", each by the field it is given in.
 */
const rows: Partial<Record<EventName, Row>> = {
  user_prompt_submit: row('on_user_message', 'message=prompt! channel', { blocks: true, rewrite: 'message' }),
  pre_tool_use: row('pre_tool_call', 'tool_name tool_input!', { blocks: true, rewrite: 'tool_input' }),
  post_tool_use: row('post_tool_call', 'tool_name tool_result=tool_response'),
  tool_response_transform: row('transform_tool_result', 'tool_name tool_result=tool_response'),
  before_llm_call: row('pre_llm_call', 'system last_user_message model=model_id', { context: true }),
  after_llm_call: row('post_llm_call', 'model=model_id response?', { rewrite: 'response' }),
  on_response_end: row('on_response_end', 'response! model=model_id tokens tool_names turn_cost_usd?', {
    rewrite: 'response',
  }),
  stop: row('on_stop', 'response tool_names stop_hook_active model=model_id?', { blocks: true }),
  on_outbound_message: row('on_outbound_message', 'notification! type', { blocks: true, rewrite: 'notification' }),
  on_completion_claim: row('on_completion_claim', 'goal summary response tool_names', { blocks: true }),
  session_start: row('on_session_start', 'status'),
  session_end: row('on_session_end', 'status'),
}

/** For an event that Starchild does not have. */
const observer: Row = row('', '')
export const { rowOf, theirNames, theirName, findTheirs } = nameTable(rows, observer, ({ name }) => name)
