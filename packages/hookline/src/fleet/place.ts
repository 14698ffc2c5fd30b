import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { dataDirectory, entryAt, installedDataDirectory, makeDirectory, managedDirectory } from '../platform/index.ts'

/** What a machine keeps of its fleet lies in one directory. These are the files in it. */
export const fleetFiles = {
  enrolment: 'machine.json',
  key: 'machine.key',
  /** How much of the journal the server has. */
  shipped: 'shipped.json',
  /** The keys that everything else is verified with: never replaced, but by enrolling anew. */
  root: 'root.json',
  /** Which generation of the policy is in force. */
  current: 'current',
  /** How the last attempt to get a newer one went. */
  state: 'state.json',
} as const

/** Where root enrols the machine: for everybody on it, and nobody else can change it. No variable moves it. */
export const machineDirectory = (managed = managedDirectory()): string => join(managed, 'fleet')

/** Where a user enrols for themselves. */
export const ownDirectory = (): string => join(dataDirectory(), 'fleet')

/**
 * The directory of the fleet that counts here; undefined: enrolled nowhere. Root's goes first. An engine that was installed
 * for a user also looks beside itself: an agent may be started with other variables than its user has.
 */
export function fleetDirectory(managed?: string): string | undefined {
  const installed = installedDataDirectory()
  const places = [
    machineDirectory(managed),
    ...(installed === undefined ? [] : [join(installed, 'fleet')]),
    ownDirectory(),
  ]
  return places.find((directory) => isThere(join(directory, fleetFiles.enrolment)))
}

/** What cannot be looked at is there: were it nothing, locking a directory would be enough to be rid of its fleet. */
function isThere(file: string): boolean {
  try {
    return entryAt(file) !== undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOTDIR'
  }
}

/** All of it or nothing, and on the disk before it counts. */
export function writeWhole(file: string, content: string | Uint8Array, mode: number): void {
  const draft = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`
  try {
    const descriptor = openSync(draft, 'wx', mode)
    try {
      // A daemon keeps new files to its user; of root's, everybody reads what is meant for all.
      fchmodSync(descriptor, mode)
      writeFileSync(descriptor, content)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Root's can be read by everybody, who are all guarded by it; a user's is the user's alone. */
export const modesOf = (directory: string): { directory: number; file: number } =>
  directory === machineDirectory() ? { directory: 0o755, file: 0o644 } : { directory: 0o700, file: 0o600 }

/** With these modes also where whoever makes it keeps new files to themselves: were root's closed, nothing would run for anybody. */
export function makeFleetDirectory(directory: string): void {
  const { directory: mode } = modesOf(directory)
  const above = dirname(directory)
  const isFirst = directory === machineDirectory() && !existsSync(above)
  makeDirectory(directory, mode)
  chmodSync(directory, mode)
  if (isFirst) chmodSync(above, mode)
}
