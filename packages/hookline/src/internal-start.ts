/**
 * The part of the door that @hookline/server goes through before it listens: words and machine, nothing that judges. The rest
 * of the door brings the engine along, and is opened once the server answers.
 * @module
 */
export { defineCommand, type Invocation, text, UsageError } from './cli/command.ts'
export { onInterrupt } from './cli/interrupt.ts'
export { readingOptions } from './cli/journal-options.ts'
export { makeHistogram } from './cli/log/tally.ts'
export { paintFor } from './cli/text/paint.ts'
export { formatPath, HooklineError, isRecord, type Note, note, validate } from './core/index.ts'
export { dataDirectory, makeDirectory, stateDirectory, version } from './platform/index.ts'
