/**
 * Pure analysis, usable alone: what would this command do, where are the secrets, is this address public, is this path
 * sensitive.
 * @module
 */
export * from './network/index.ts'
export * from './paths/index.ts'
export * from './secrets/index.ts'
export {
  analyseCommand,
  type Category,
  type CommandReading,
  type Radius,
  readCommands,
  type ShellInput,
  type ShellVerdict,
  type SimpleCommand,
  type Verdict,
} from './shell/index.ts'
