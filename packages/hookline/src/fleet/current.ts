import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Note, note } from '../core/index.ts'
import { contentAt, entryAt } from '../platform/index.ts'
import { fleetDirectory, fleetFiles } from './place.ts'

/** Where the policy in force lies: one generation, and whose policy of it, by name of the group. */
export interface Current {
  directory: string
  /** Relative to the fleet's directory, with all of its metadata and files. */
  generation: string
  group: string
}

/** A policy that is there, or why none is: a fleet that has published nothing is no problem. */
export type Pointer = { file: string } | { file: string; refused: Note } | undefined

export const generationsIn = (directory: string): string => join(directory, 'generations')
export const policyName = 'hookline.yaml'

/**
 * The policy of the fleet, as it lies here, unverified: whoever loads it opens it with policy.ts. Who has a root but no
 * policy has lost it, or somebody has taken it away.
 */
export function fleetPolicy(managed?: string): Pointer {
  const directory = fleetDirectory(managed)
  return directory === undefined ? undefined : policyIn(directory)
}

export function policyIn(directory: string): Pointer {
  const file = join(directory, fleetFiles.current)
  const read = currentIn(directory)
  if (read === 'none')
    return isThere(join(directory, fleetFiles.root)) ? { file, refused: refusal('it is gone') } : undefined
  if (read === 'broken') return { file, refused: refusal(`${file} is not as it was written`) }
  return { file: join(filesOf(read), read.group, policyName) }
}

export const filesOf = ({ directory, generation }: Pick<Current, 'directory' | 'generation'>): string =>
  join(generationsIn(directory), generation, 'files')

/** Where the fleet's directory is for a policy that `fleetPolicy` found. */
export const fleetOf = (policy: string): string => join(policy, '../../../../..')

export function currentIn(directory: string): Current | 'none' | 'broken' {
  const file = join(directory, fleetFiles.current)
  try {
    if (!isThere(file)) return 'none'
    contentAt(file)
    const [, generation, group] = /^([0-9a-f]{16}) ([a-z0-9][a-z0-9-]{0,39})\n$/.exec(readFileSync(file, 'utf8')) ?? []
    return generation === undefined ? 'broken' : { directory, generation, group: group! }
  } catch {
    return 'broken'
  }
}

export const refusal = (detail: string): Note => note('fleet-refused', { detail })

/** What a refusal is about, without what follows from it for a policy that is in force. */
export function detailOf({ message }: Note): string {
  const [before] = refusal('\n').message.split('\n')
  return message.startsWith(before!) ? message.slice(before!.length) : message
}

function isThere(file: string): boolean {
  try {
    return entryAt(file) !== undefined
  } catch {
    return true
  }
}
