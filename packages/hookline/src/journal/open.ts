import { closeSync, constants, fchmodSync, fstatSync, openSync, type Stats } from 'node:fs'
import { HooklineError, note } from '../core/index.ts'

/**
 * Opens a journal file for reading and appending, and makes it, with mode 0600, when it does not exist. A link, something that is not a file, and a file of another user are refused: an agent that
 * can plant one would choose where the journal goes, or read it.
 */
export function openFile(file: string): { fd: number; stats: Stats } {
  const fd = openWithoutFollowing(file)
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw refused(file, 'it is not a regular file')
    if (isOfAnother(stats)) throw refused(file, 'it belongs to another user')
    if (isUnix && (stats.mode & 0o077) !== 0) fchmodSync(fd, 0o600)
    return { fd, stats }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

export function refused(file: string, detail: string): HooklineError {
  return new HooklineError(note('journal-open', { file, detail }))
}

const isUnix = process.platform !== 'win32'

/** O_NONBLOCK: opening a pipe that nobody reads must not hang. */
function openWithoutFollowing(file: string): number {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  try {
    return openSync(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ELOOP' || code === 'EMLINK') throw refused(file, 'it is a symbolic link')
    if (code === 'EISDIR') throw refused(file, 'it is a directory')
    if (code === 'ENXIO') throw refused(file, 'it is not a regular file')
    throw error
  }
}

function isOfAnother(stats: Stats): boolean {
  const user = process.getuid?.()
  return user !== undefined && user !== 0 && user !== stats.uid
}
