import type { ToolCall } from './message.ts'
import type { Usage } from './model.ts'

/** What whoever watches is told while the agent works: the terminal, `--json`, an embedding program. Plain JSON. */
export type Happening = { session_id: string; agent: string; sub_agent?: true } & (
  | { type: 'session'; source: string; model: string }
  | { type: 'prompt'; text: string; kind: 'prompt' | 'steering' | 'follow-up' | 'redo' | 'goal' }
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool_call'; call: ToolCall; category: string }
  | { type: 'approval'; call_id: string; decision: 'allow' | 'deny' | 'canceled'; source: string; reason?: string }
  /** Output while a tool runs, as it comes: no hook has judged it yet. `held`: there is some, and it is not shown. */
  | { type: 'tool_progress'; call_id: string; text: string; held?: true }
  | { type: 'tool_result'; call_id: string; tool: string; content: string; error?: boolean }
  /** The reply as it stands after hooks; what was streamed before may differ. */
  | { type: 'response'; text: string; rewritten?: true }
  | { type: 'usage'; model: string; usage?: Usage; cost?: number }
  | { type: 'notice'; level: 'info' | 'warning' | 'error'; text: string }
  | { type: 'agent_switch'; from: string; to: string; kind: string }
  | { type: 'compaction'; reason: string; state: 'begun' | 'done' | 'vetoed' | 'failed'; summary?: string }
  | { type: 'turn_end'; reason: string }
  | { type: 'waiting' }
  | { type: 'outbound'; channel: string; state: 'sent' | 'blocked' | 'failed'; detail?: string }
  | { type: 'end'; reason: string }
)

export type Watch = (happening: Happening) => void
