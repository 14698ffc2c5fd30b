/**
 * The agent as a library: open one, hand it `raise`, and read its files.
 * @module
 */
export * from './agent/index.ts'
export { loadRehearsal, loadTeam, rehearsalsBeside } from './agent-files.ts'
