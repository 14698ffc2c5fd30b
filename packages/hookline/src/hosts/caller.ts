/**
 * Some hosts read the files of another and run what stands there: Grok and Copilot those of Claude Code. So the entry for
 * one host may be called by another, which its payload gives away; variables do not, since agents start each other.
 */
export function callerOf(named: string, payload: Readonly<Record<string, unknown>>): string {
  if (named !== 'claude' && named !== 'claude-code') return named
  if (typeof payload['hookEventName'] === 'string' && typeof payload['workspaceRoot'] === 'string') return 'grok'
  // Claude Code never says when; Copilot always does, and has no `permission_mode`.
  const isCopilots = payload['timestamp'] !== undefined && payload['permission_mode'] === undefined
  return isCopilots && (payload['session_id'] !== undefined || payload['sessionId'] !== undefined) ? 'copilot' : named
}
