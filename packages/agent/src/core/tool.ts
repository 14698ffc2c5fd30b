import type { ToolDescription } from './model.ts'

/** One thing the agent can do. It may throw and hang: the call times it out, catches it and tells the model. */
export interface Tool extends ToolDescription {
  /** The toolset it belongs to (`filesystem`, `shell`, `fetch`, `think`, `todo`, `user`, `team`, `outbound`, `mcp`): what hooks see as `tool_category`. */
  category: string
  /** Whether this call changes nothing, so that nobody need be asked. */
  readOnly?(input: Record<string, unknown>): boolean
  /** Calls of one batch that may not run beside others. Default: it may. */
  alone?: boolean
  /** When it is told to stop it raises events until it has, and is waited for. Others are given up after a while. */
  orderly?: boolean
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
  /** Output while it runs, for whoever watches; the result is what counts. */
  progress(text: string): void
}

export interface ToolResult {
  content: string
  error?: boolean
  /** A hook that was asked while it ran has ended the run: what the user reads. */
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
