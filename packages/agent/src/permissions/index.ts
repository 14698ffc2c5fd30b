export { createPermissions, type PermissionOptions } from './create.ts'
export { noRules, type PermissionRules } from './rules.ts'

import type { PermissionCall } from './subject.ts'

export interface PermissionDecision {
  ruling: 'allow' | 'ask' | 'deny' | undefined
  source: string
  reason: string
}

/** What decides about a call before and after hooks: rules, yolo, and what the person granted for this session. */
export interface Permissions {
  readonly yolo: boolean
  /** Pure: what the rules say of this call, and which of docker-agent's sources it is. */
  decide(call: PermissionCall & { readOnly: boolean }): PermissionDecision
  /** The person said yes for longer than once. */
  grant(call: PermissionCall, scope: 'session' | 'tool'): void
  /** What a yes for this `tool` would cover, in words for the person who gives it. */
  describeGrant?(call: PermissionCall): string
}
