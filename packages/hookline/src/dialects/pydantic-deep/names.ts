import type { EventName } from '../../core/index.ts'
import { nameTable } from '../common/config.ts'

/** What pydantic-deep's document says of one event. */
export interface Row {
  name: string
  /** Has a tool, so that a matcher counts. */
  tool: boolean
  /** The field of a result that changes something; the rest is "observe only". */
  modifies?: 'modified_args' | 'modified_result'
  /** Where `tool_result` and `tool_error` come from. */
  result?: string
  error?: string
}

/** The ninth event is in its code and not on its page. */
const rows: Partial<Record<EventName, Row>> = {
  pre_tool_use: { name: 'pre_tool_use', tool: true, modifies: 'modified_args' },
  post_tool_use: { name: 'post_tool_use', tool: true, modifies: 'modified_result', result: 'tool_response' },
  post_tool_use_failure: { name: 'post_tool_use_failure', tool: true, error: 'error' },
  before_run: { name: 'before_run', tool: false },
  after_run: { name: 'after_run', tool: false, result: 'result' },
  run_error: { name: 'run_error', tool: false, error: 'error' },
  before_llm_call: { name: 'before_model_request', tool: false },
  after_llm_call: { name: 'after_model_request', tool: false, result: 'response' },
  model_fallback: { name: 'model_fallback_triggered', tool: false, error: 'error' },
}

/** For an event that pydantic-deep does not have. */
const observer: Row = { name: '', tool: false }
export const { rowOf, theirNames, theirName, findTheirs } = nameTable(rows, observer, ({ name }) => name)
