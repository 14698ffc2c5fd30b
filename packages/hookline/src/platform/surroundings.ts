import { AsyncLocalStorage } from 'node:async_hooks'

export type Variables = Readonly<Record<string, string | undefined>>

/** What a process hands to its children: a resident engine works for many processes, each with its own. */
export interface Surroundings {
  env: Variables
  cwd: string
  umask: number
  /** Which variables a config was read with: with other values of these, it says something else. */
  readonly configuredBy?: Map<string, string | undefined>
}

const current = new AsyncLocalStorage<Surroundings>()

/** What runs in here, and everything it starts, has these surroundings in place of those of this process. */
export const inSurroundings = <T>(surroundings: Surroundings, work: () => T): T => current.run(surroundings, work)

/** The environment of whoever raised the event. */
export const callerEnvironment = (): Variables => current.getStore()?.env ?? process.env

/** For configs, which may name variables. */
export function configVariable(name: string): string | undefined {
  const value = callerEnvironment()[name]
  current.getStore()?.configuredBy?.set(name, value)
  return value
}

/** Undefined: that of this process. */
export const callerUmask = (): number | undefined => current.getStore()?.umask

/** The directory of whoever raised the event; throws when it is gone, as process.cwd() does. */
export const callerDirectory = (): string => current.getStore()?.cwd ?? process.cwd()
