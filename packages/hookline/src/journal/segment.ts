import {
  closeSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  type Stats,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { promisify } from 'node:util'
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

/** A file is only as durable as its name. Not every platform can do this, and none needs to be told. */
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
