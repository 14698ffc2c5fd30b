/**
 * Pure analysis, usable alone: what would this command do, where are the secrets, is this address public, is this path
 * sensitive.
 * @module
 */
export * from './network/index.ts'
export {
  type Access,
  checkPath,
  type PathQuestion,
  type PathVerdict,
  type SensitivePlace,
  sensitivePlaces,
} from './paths/index.ts'
export {
  createRedactor,
  type Found,
  findSecrets,
  type KnownSecret,
  type Redactor,
  redactText,
  redactValue,
  type Sha256,
  useSha256,
} from './secrets/index.ts'
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
