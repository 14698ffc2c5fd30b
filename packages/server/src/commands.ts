/**
 * What the `hookline` command finds here.
 * @module
 */
export const commands = { serve: () => import('./command.ts'), worker: () => import('./durable/command.ts') }
