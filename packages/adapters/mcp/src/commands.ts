/**
 * What the `hookline` command finds here.
 * @module
 */
export const commands = { mcp: () => import('./command.ts') }
