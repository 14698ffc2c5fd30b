import type { Attachment, ToolDescription } from './model.ts'

/** One thing the agent can do. It may throw or hang: the caller sets a deadline and turns errors into results. */
export interface Tool extends ToolDescription {
  /** The toolset it belongs to (`filesystem`, `shell`, `fetch`, `think`, `todo`, `user`, `team`, `outbound`, `mcp`): what hooks see as `tool_category`. */
  category: string
  /** Whether this call changes nothing, so that it needs no approval. */
  readOnly?(input: Record<string, unknown>): boolean
  /** Whether no call of it can change anything: what `readonly: true` of an agent file leaves. Absent: it may. */
  onlyReads?: true
  /** To do the same call twice is as good as once: it may be repeated when a process died in the middle of it. Default: it may not. */
  idempotent?: true
  /** Calls of one batch that may not run beside others. Default: it may. */
  alone?: boolean
  /** It raises events while it stops, so the caller waits for it. Other tools are abandoned after a while. */
  orderly?: boolean
  /** It belongs to the loop and works in steps of its own (events, questions), so that it is no step itself. Default: it is one. */
  inSteps?: true
  /** The arguments, complete and typed; or what is wrong with them, in words for the model. */
  parse(input: Record<string, unknown>): { ok: true; input: Record<string, unknown> } | { ok: false; problem: string }
  run(input: Record<string, unknown>, call: ToolRun): Promise<ToolResult>
}

/** What a running tool is handed. */
export interface ToolRun {
  id: string
  /** The workspace: relative paths start here. */
  cwd: string
  sessionId: string
  agent: string
  signal: AbortSignal
  /** Output while it runs, for display only; the result is what counts. */
  progress(text: string): void
}

export interface ToolResult {
  content: string
  /** Pictures and files beside the text, for models that take them. */
  attachments?: readonly Attachment[]
  error?: boolean
  /** A hook that ran during the call ended the run, with this reason. */
  halt?: string
  /** What such hooks want the model to know. */
  context?: readonly string[]
}

/** A set of tools that needs opening and closing, such as an MCP server. */
export interface OpenTools {
  tools: readonly Tool[]
  close(): Promise<void>
}

/** What went wrong, in words that the model can act on. */
export class ToolFailure extends Error {
  override name = 'ToolFailure'
}
