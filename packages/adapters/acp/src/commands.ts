/**
 * What the `hookline` command finds here.
 * @module
 */
export const commands = { acp: () => import('./command.ts') }
