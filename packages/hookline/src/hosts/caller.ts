/**
 * Some hosts read the files of another and run what stands there: Grok those of Claude Code and Cursor, Copilot those of Claude Code, VS Code
 * those of Copilot. So the entry for
 * one host may be called by another, which its payload gives away; variables do not, since agents start each other.
 */
export function callerOf(named: string, payload: Readonly<Record<string, unknown>>): string {
  if (!['claude', 'claude-code', 'cursor', 'copilot'].includes(named)) return named
  if (named === 'copilot') return isVsCode(payload) ? 'vscode' : named
  if (typeof payload['hookEventName'] === 'string' && typeof payload['workspaceRoot'] === 'string') return 'grok'
  if (named === 'cursor') return named
  // Claude Code never says when; Copilot always does, and has no `permission_mode`.
  const isCopilots = payload['timestamp'] !== undefined && payload['permission_mode'] === undefined
  return isCopilots && (payload['session_id'] !== undefined || payload['sessionId'] !== undefined) ? 'copilot' : named
}

/** Its events have Claude Code's names, as those of Copilot CLI never have in a file that names them in camelCase. */
const isVsCode = ({ hookEventName, hook_event_name: event }: Readonly<Record<string, unknown>>): boolean =>
  /^[A-Z]/.test(String(hookEventName ?? event ?? ''))
