import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Whose id the system does not know in this namespace, as with the directories of the machine in a rootless container. */
const unmapped = 65_534

/** Whether nobody but root can change what stands there: neither the file nor a directory above it is another's. */
export function isRootsAlone(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    const stats = statSync(at, { throwIfNoEntry: false })
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
