export const rulings = ['allow', 'ask', 'deny'] as const

/** Patterns such as `shell`, `mcp_github_*` or `shell:command=git *`. Deny beats ask beats allow. */
export interface PermissionRules {
  allow: readonly string[]
  ask: readonly string[]
  deny: readonly string[]
}
