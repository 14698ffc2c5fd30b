import {
  closeSync,
  constants,
  fchmodSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  type Stats,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { promisify } from 'node:util'
import { HooklineError, note } from '../core/index.ts'
import { zeroHash } from './line.ts'

/** A journal file that is open for appending, and what this process knows of it. */
export interface Segment {
  fd: number
  device: number
  inode: number
  /** How long the file was when this process last looked. */
  end: number
  log: string
  part: number
  /** How many lines the log has, over all its files, and the hash of the last. */
  count: number
  head: string
  syncing?: Promise<void>
}

export function makeSegment({ fd, stats }: { fd: number; stats: Stats }): Segment {
  return { fd, device: stats.dev, inode: stats.ino, end: stats.size, log: '', part: 0, count: 0, head: zeroHash }
}

export function isAt(file: string, { device, inode }: Segment): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  return stats?.dev === device && stats.ino === inode
}

/** One write; a short one is completed. When it fails half-way, what was written of it is taken back. */
export function append(segment: Segment, text: string, count: number, head: string): void {
  const bytes = Buffer.from(text)
  let written = 0
  try {
    while (written < bytes.length) written += writeSync(segment.fd, bytes, written)
  } catch (error) {
    if (written > 0) takeBack(segment)
    throw error
  }
  segment.end += bytes.length
  segment.count = count
  segment.head = head
}

export async function sync(segment: Segment): Promise<void> {
  segment.syncing = syncData(segment.fd)
  await segment.syncing
}

/** Closing waits for a sync under way: the number could be given to another file. */
export function release(segment: Segment): void {
  const close = () => closeSync(segment.fd)
  if (segment.syncing) segment.syncing.then(close, close)
  else close()
}

/** A file is only as durable as its name. Not every platform can do this, and none has to. */
export function syncDirectory(directory: string): void {
  try {
    const fd = openSync(directory, 'r')
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch {}
}

/** Moves what follows `end` into a file of its own: first there, then gone from here. */
export function cutOff(segment: Segment, end: number, bytes: Buffer, into: string): void {
  writeFileSync(into, bytes, { flag: 'wx', mode: 0o600 })
  ftruncateSync(segment.fd, end)
  segment.end = end
}

const syncData = promisify(fdatasync)

function takeBack(segment: Segment): void {
  try {
    ftruncateSync(segment.fd, segment.end)
  } catch {
    // It stays behind as a torn end, and is set aside by the next write that succeeds.
  }
}

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
