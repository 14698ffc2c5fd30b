/**
 * What this adapter knows of the Claude Agent SDK, spelled out, because the SDK brings a program of 169 MB along. Read from
 * the declarations of @anthropic-ai/claude-agent-sdk 0.3.326 (`Options`, `HookCallbackMatcher`, `CanUseTool`).
 */
export type HookCallback = (
  input: { hook_event_name: string; [key: string]: unknown },
  toolUseId: string | undefined,
  options: { signal: AbortSignal },
) => Promise<HookOutput>

/** The JSON that a hook of Claude Code prints. */
export interface HookOutput {
  continue?: boolean
  stopReason?: string
  decision?: 'approve' | 'block'
  reason?: string
  systemMessage?: string
  // biome-ignore lint/suspicious/noExplicitAny: one shape per event, which the dialect of Claude Code writes.
  hookSpecificOutput?: any
}

export interface HookMatcher {
  matcher?: string
  hooks: HookCallback[]
  timeout?: number
  onFailure?: 'continue' | 'block'
}

export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: { signal: AbortSignal; toolUseID: string },
) => Promise<
  | { behavior: 'allow'; updatedInput?: Record<string, unknown> }
  | { behavior: 'deny'; message: string; interrupt?: boolean }
>

export interface ClaudeOptions {
  hooks?: Partial<Record<string, HookMatcher[]>>
  canUseTool?: CanUseTool
}
