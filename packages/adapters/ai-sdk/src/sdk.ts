import type { UnknownRecord } from './record.ts'

/**
 * What this adapter knows of the AI SDK, spelled out: `ai` 6 (models of specification v3) and 7 (v4) write these alike.
 * Read from the declarations of ai 6.0.326 and 7.0.169, and of @ai-sdk/provider.
 */
export interface TextPart {
  type: string
  text?: string
  [key: string]: unknown
}

export interface PromptMessage {
  role: string
  content: string | TextPart[]
  providerOptions?: unknown
}

export interface CallOptions {
  prompt: PromptMessage[]
  abortSignal?: AbortSignal | undefined
  [key: string]: unknown
}

export interface Answer {
  content: TextPart[]
  finishReason: unknown
  usage: unknown
  warnings?: unknown
  [key: string]: unknown
}

export interface StreamPart {
  type: string
  [key: string]: unknown
}

export interface Model {
  specificationVersion: string
  provider: string
  modelId: string
  supportedUrls: unknown
  doGenerate(options: CallOptions): PromiseLike<Answer>
  doStream(options: CallOptions): PromiseLike<{ stream: ReadableStream<StreamPart>; [key: string]: unknown }>
}

export interface ToolCallOptions {
  toolCallId: string
  messages?: readonly UnknownRecord[]
  abortSignal?: AbortSignal | undefined
}

export interface SdkTool {
  type?: string
  inputSchema?: unknown
  execute?(input: unknown, options: ToolCallOptions): unknown
  needsApproval?: boolean | ((input: unknown, options: ToolCallOptions) => unknown)
  toModelOutput?(about: { toolCallId: string; input: unknown; output: unknown }): unknown
}

/** What decides about a call before it runs: `toolApproval` of ai 7. */
export type Status = string | { type: string; reason?: string } | undefined
export interface ToolCall {
  toolName: string
  toolCallId: string
  input: unknown
  invalid?: boolean
}
export interface ApprovalRequest {
  toolCall: ToolCall
  messages: readonly UnknownRecord[]
  [key: string]: unknown
}
export type Approval =
  | ((request: ApprovalRequest) => Status | PromiseLike<Status>)
  | Record<string, Status | ((input: unknown, options: UnknownRecord) => Status | PromiseLike<Status>)>
