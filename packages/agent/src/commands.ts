/**
 * What the `hookline` command finds here.
 * @module
 */
export { capabilitiesOfFiles, commands, renderRehearsalSchema } from './commands/index.ts'
