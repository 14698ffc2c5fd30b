import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HooklineError, type Note, note } from '../core/index.ts'
import { currentIn, fleetOf, refusal } from './current.ts'
import { fleetFiles } from './place.ts'
import { type Verified, verifyGeneration } from './verify.ts'

/** What a policy that is in force amounts to beside its rules, and what to say about it. */
export interface OpenedPolicy extends Pick<Verified, 'mode' | 'version'> {
  /** Real path → SHA-256 of every file that it may run or use. */
  files: Readonly<Record<string, string>>
  notes: Note[]
  /** It must not be loaded: it is stale, and the administrator wants that nothing runs then. */
  problems: Note[]
  /** When it becomes stale; undefined: it is. */
  until: number | undefined
  /** All files that it rests on: when one of these changes, it is to be opened again. */
  rests: readonly string[]
  /** Whether this text of this file is signed. */
  holds(file: string, text: string): boolean
}

/** Opens the policy at a path that `fleetPolicy` gave; throws what is wrong with it. Nothing that is not signed comes out. */
export function openPolicy(file: string, now = Date.now()): OpenedPolicy {
  const directory = fleetOf(file)
  const current = currentIn(directory)
  if (current === 'none' || current === 'broken') throw new HooklineError(refusal('it was changed while it was read'))
  const verified = verifyGeneration(current)
  const since = new Date(verified.expires).toISOString()
  const isStale = verified.expires <= now
  const blocks = isStale && verified.onStale === 'block'
  const failed = lastFailure(directory)
  return {
    ...{ mode: verified.mode, version: verified.version, files: Object.fromEntries(verified.files) },
    notes: [
      ...(failed === undefined ? [] : [note('fleet-update-refused', { detail: failed })]),
      ...(isStale && !blocks ? [note('fleet-stale', { since })] : []),
      ...(verified.mode === 'shadow' ? [note('fleet-shadow', {})] : []),
    ],
    problems: blocks ? [note('fleet-blocked', { since })] : [],
    until: isStale ? undefined : verified.expires,
    rests: [...[fleetFiles.current, fleetFiles.state].map((name) => join(directory, name)), ...verified.rests],
    holds: (path, text) => verified.files.get(path) === createHash('sha256').update(text).digest('hex'),
  }
}

/** Why no newer policy was taken, as whoever fetches has written it down; undefined: nothing is wrong. */
export function lastFailure(directory: string): string | undefined {
  try {
    const { problem } = JSON.parse(readFileSync(join(directory, fleetFiles.state), 'utf8')) as { problem?: unknown }
    return typeof problem === 'string' ? problem.slice(0, 500) : undefined
  } catch {
    return undefined
  }
}
