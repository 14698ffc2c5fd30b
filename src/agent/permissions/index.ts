export type { PermissionRules } from './rules.ts'

/** What decides about a call before and after hooks: rules, yolo, and what the person granted for this session. */
export interface Permissions {
  yolo: boolean
  /** Pure: what the rules say of this call, and which of docker-agent's sources it is. */
  decide(call: { name: string; input: Record<string, unknown>; readOnly: boolean; category: string }): {
    ruling: 'allow' | 'ask' | 'deny' | undefined
    source: string
    reason: string
  }
  /** The person said yes for longer than once. */
  grant(call: { name: string; input: Record<string, unknown>; category: string }, scope: 'session' | 'tool'): void
}
