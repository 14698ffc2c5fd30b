import { isRecord } from 'hookline/internal'

/** One message of a transcript. Plain JSON: what the store keeps, what `before_llm_call` shows and may rewrite. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage

/** Context that someone added: it speaks to the model, and is not the user's. */
export interface SystemMessage {
  role: 'system'
  content: string
}

export interface UserMessage {
  role: 'user'
  content: string
}

export interface AssistantMessage {
  role: 'assistant'
  content: string
  /** Which agent said it; in a team, the active one. */
  agent?: string
  reasoning?: string
  tool_calls?: readonly ToolCall[]
}

export interface ToolMessage {
  role: 'tool'
  tool_call_id: string
  tool_name: string
  content: string
  /** True when the call failed or was refused: the model is told so. */
  error?: boolean
}

export interface ToolCall {
  id: string
  name: string
  input: Record<string, unknown>
  /** Why the arguments could not be read; then the tool is not run and the model is told. */
  invalid?: string
  /** What the provider wants back with the call, such as the signature of the thought before it. Kept as it is. */
  provider?: Readonly<Record<string, unknown>>
}

export const isToolCall = (value: unknown): value is ToolCall =>
  isRecord(value) && typeof value['id'] === 'string' && typeof value['name'] === 'string' && isRecord(value['input'])
