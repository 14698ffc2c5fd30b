import { isRecord } from 'hookline/internal'

/** One message of a transcript. Plain JSON: what the store keeps, what `before_llm_call` shows and may rewrite. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage

/** Context added by hooks or the runtime. The model reads it; it is not part of what the user wrote. */
export interface SystemMessage {
  role: 'system'
  content: string
}

export interface UserMessage {
  role: 'user'
  content: string
  attachments?: readonly Attachment[]
}

/** A picture, or another file, that goes to the model as it is. */
export interface Attachment {
  name: string
  media_type: string
  /** In base64. */
  data: string
}

/** What hooks see of an attachment: all but its bytes. */
export const describeAttachment = ({ name, media_type, data }: Attachment) => ({
  name,
  media_type,
  bytes: Buffer.byteLength(data, 'base64'),
})

export interface AssistantMessage {
  role: 'assistant'
  content: string
  /** The agent that wrote it; in a team, the active one. */
  agent?: string
  reasoning?: string
  tool_calls?: readonly ToolCall[]
}

export interface ToolMessage {
  role: 'tool'
  tool_call_id: string
  tool_name: string
  content: string
  /** True when the call failed or was blocked; the model sees it as an error. */
  error?: boolean
  attachments?: readonly Attachment[]
}

export interface ToolCall {
  id: string
  name: string
  input: Record<string, unknown>
  /** Why the arguments could not be parsed. The tool does not run, and the model gets this text. */
  invalid?: string
  /** What the provider wants back with the call, such as the signature of the thought before it. Kept as it is. */
  provider?: Readonly<Record<string, unknown>>
}

export const isToolCall = (value: unknown): value is ToolCall =>
  isRecord(value) && typeof value['id'] === 'string' && typeof value['name'] === 'string' && isRecord(value['input'])

/** A model that answers. Behind it a provider of the AI SDK, or the rehearsal model: the loop does not know which. */
export interface Model {
  /** As `provider/model`. */
  readonly id: string
  /** Tokens that fit into one request; 0 when unknown. */
  readonly contextLimit: number
  /** Where it is served, for hooks that free what a model holds (`on_agent_switch`). */
  readonly endpoint?: { provider: string; model: string; base_url?: string; unload_api?: string }
  /** The model that should answer this, where it is only the one that others are chosen by. */
  route?(messages: readonly Message[]): Model
  /** One answer. Throws only `ModelError`; ends when the signal aborts. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>
}

export interface ModelRequest {
  system: string
  messages: readonly Message[]
  tools: readonly ToolDescription[]
  /** Who asks: the rehearsal model keeps to the part of this agent, in this session. */
  agent?: string
  session?: string
  /** What the answer must look like: a JSON Schema. */
  output?: { name: string; schema: Readonly<Record<string, unknown>> }
  /** What it is for, when it is not the conversation itself: `compaction`. */
  purpose?: string
}

/** How a tool is described to the model. `parameters` is a JSON Schema. */
export interface ToolDescription {
  name: string
  description: string
  parameters: Record<string, unknown>
}

export type ModelPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | ({ type: 'tool_call' } & ToolCall)
  /** Last, once. */
  | { type: 'finish'; usage?: Usage; cost?: number }

/**
 * docker-agent's names, and its way of counting: what came from a cache or went into one is not among `input_tokens`,
 * so the whole request is the sum of the three. A count that the provider did not report is absent.
 */
export interface Usage {
  input_tokens?: number
  output_tokens?: number
  cached_input_tokens?: number
  cached_write_tokens?: number
  reasoning_tokens?: number
}

export const modelErrorKinds = ['overflow', 'rate-limit', 'unavailable', 'refused', 'auth', 'invalid'] as const
/** `overflow`: the request does not fit. `rate-limit` and `unavailable` are worth another try. The others are not. */
export type ModelErrorKind = (typeof modelErrorKinds)[number]

export class ModelError extends Error {
  override name = 'ModelError'
  readonly kind: ModelErrorKind
  readonly retryAfterMs: number | undefined
  /** It did not answer in time: to wait as long again and again helps nobody. */
  readonly timedOut: boolean
  constructor(kind: ModelErrorKind, message: string, retryAfterMs?: number, timedOut = false) {
    super(message)
    this.kind = kind
    this.retryAfterMs = retryAfterMs
    this.timedOut = timedOut
  }
}
