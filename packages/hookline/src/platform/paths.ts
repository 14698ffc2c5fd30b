import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { entryAt, realAt, targetAt } from './looks.ts'

/**
 * Makes a directory with those above it, for the user alone unless another mode is given. Not with `recursive`: Node 20
 * never returns from that where the parent is there and nothing can be made in it, as in /proc or below an automounter.
 */
export function makeDirectory(path: string, mode = 0o700): void {
  if (isDirectory(path)) return
  if (dirname(path) !== path) makeDirectory(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isDirectory(path)) throw error
  }
}

export function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    return false
  }
}

/** What is in a directory; nothing where it cannot be read. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/** The absolute path without links. Where nothing is there yet, where it would be: as much of the path as exists is followed. */
export function realPath(path: string): string {
  const known = existingRealPath(path)
  if (known !== undefined) return known
  const parent = dirname(resolve(path))
  return parent === resolve(path) ? parent : join(realPath(parent), basename(path))
}

/** The same, but undefined where nothing is there. */
export function existingRealPath(path: string): string | undefined {
  try {
    // An error that nobody reads costs more than a look.
    return entryAt(path) && realAt(path)
  } catch {
    return undefined
  }
}

/** Whose id the system does not know in this namespace, as with the directories of the machine in a rootless container. */
const unmapped = 65_534

/** Whether nobody but root can change what stands there: neither the file nor a directory above it is another's. */
export function isRootsAlone(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    const stats = targetAt(at)
    if (!stats) return false
    if (stats.uid !== 0 && (at === path || stats.uid !== unmapped)) return false
    if (stats.mode & 0o022 && !(stats.isDirectory() && stats.mode & 0o1000) && !isGroupOfRoot(stats)) return false
    if (at === dirname(at)) return true
  }
}

const isGroupOfRoot = ({ mode, gid }: { mode: number; gid: number }): boolean => gid === 0 && (mode & 0o002) === 0

/** Whether the owner of a directory, who can replace all that is in it, is somebody else than this person and root. */
export function isForeignOwner(uid: number, isDirectory: boolean): boolean {
  const own = process.getuid?.()
  if (own === undefined || uid === own || uid === 0) return false
  return !(isDirectory && uid === unmapped)
}
