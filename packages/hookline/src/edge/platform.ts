/** A runtime without files and processes, for code that asks about the machine. */
export type Variables = Readonly<Record<string, string | undefined>>

const nothing: Variables = {}

/** The variables of the worker, where its runtime has them at all. */
export const callerEnvironment = (): Variables =>
  (globalThis as { process?: { env?: Variables } }).process?.env ?? nothing
export const callerDirectory = (): string => '/'
export const homeDirectory = (): string => '/'
