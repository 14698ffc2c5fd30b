import { closeSync, constants, existsSync, fstatSync, openSync, readdirSync, readSync, unlinkSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { checkSeal, type Digest, maxLineBytes } from './line.ts'

/** One file of a rotated journal: the current one, or `<file>.<number>`. */
export interface Part {
  file: string
  genesis: Genesis
}

/** The rotated parts beside a file, oldest first. Their content gives the order: other programs number differently. */
export function rotatedParts(file: string): Part[] {
  const prefix = `${basename(file)}.`
  return namesBeside(file)
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .map((name) => readPart(join(dirname(file), name)))
    .filter((part) => part !== undefined)
    .sort((a, b) => a.genesis.seq - b.genesis.seq)
}

/** All files of the log that `file` belongs to, oldest first; `file` itself last, whatever is in it. */
export function partsOf(file: string): string[] {
  const current = readPart(file)
  const older = rotatedParts(file).filter((part) => !current || part.genesis.log === current.genesis.log)
  return [...older.map((part) => part.file), ...(current || existsSync(file) || older.length === 0 ? [file] : [])]
}

/** A name for a file that is rotated away, and its number. */
export function freePart(file: string, from: number): { file: string; part: number } {
  let part = from
  while (existsSync(`${file}.${part}`)) part++
  return { file: `${file}.${part}`, part }
}

export function removeOldParts(file: string, log: string, keep: number): void {
  const parts = rotatedParts(file).filter((part) => part.genesis.log === log)
  for (const part of parts.slice(0, Math.max(0, parts.length - keep))) unlinkSync(part.file)
}

function namesBeside(file: string): string[] {
  try {
    return readdirSync(dirname(file))
  } catch {
    return []
  }
}

/** Nobody is kept waiting by what only has the name of a journal: opening a pipe would wait for its writer. */
export const forReading = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

export function readPart(file: string): Part | undefined {
  let fd: number | undefined
  try {
    fd = openSync(file, forReading)
    const genesis = readGenesis(fd)
    return genesis && { file, genesis }
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** How a journal file ends. */
export interface Tail {
  /** Where the last intact line ends, and what it is; absent when there is none. */
  last?: { seq: number; hash: string }
  end: number
  /** What follows it: nothing, a write that a crash cut short, or lines that somebody changed. */
  rest: 'none' | 'torn' | 'damaged'
}

/**
 * Looks at the end of a file for the last line whose hash is right. A crash leaves an unfinished line, perhaps with zeros
 * where the file system had not written blocks yet; a finished line with a wrong hash is somebody's doing.
 */
export function readTail(fd: number, digest: Digest): Tail {
  const { size } = fstatSync(fd)
  for (let length = Math.min(size, 64 * 1024); ; length = Math.min(size, length * 4)) {
    const start = size - length
    const bytes = readBytes(fd, start, length)
    const found = lastIntactLine(bytes, start === 0, digest)
    if (!found && start > 0) continue
    const end = found?.end ?? 0
    const rest = bytes.subarray(end)
    return {
      ...(found && { last: { seq: found.seq, hash: found.hash } }),
      end: start + end,
      rest: rest.length === 0 ? 'none' : rest.includes(newline) ? 'damaged' : 'torn',
    }
  }
}

export interface Genesis {
  seq: number
  log: string
  part: number
  format: number
  digest: string
  key?: string
  previous?: Previous
}

/** What came before the first line of a file. `damaged`: nothing that this file could continue. */
export interface Previous {
  cause: 'rotated' | 'moved' | 'truncated' | 'damaged'
  entries: number
  head: string
  file?: string
}

const maxGenesisBytes = 4096

/** The first line of a file, if it is the beginning of a journal. It is not checked here: `verify` does that. */
export function readGenesis(fd: number): Genesis | undefined {
  const bytes = readBytes(fd, 0, Math.min(fstatSync(fd).size, maxGenesisBytes))
  const end = bytes.indexOf(newline)
  return end < 0 ? undefined : parseGenesis(bytes.toString('utf8', 0, end))
}

export function parseGenesis(line: string): Genesis | undefined {
  try {
    const record = JSON.parse(line)
    return record?.kind === 'genesis' && Number.isSafeInteger(record.seq) ? (record as Genesis) : undefined
  } catch {
    return undefined
  }
}

export function readBytes(fd: number, start: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const count = readSync(fd, bytes, filled, length - filled, start + filled)
    if (count === 0) break
    filled += count
  }
  return bytes.subarray(0, filled)
}

function lastIntactLine(bytes: Buffer, isWholeFile: boolean, digest: Digest) {
  for (let end = bytes.lastIndexOf(newline); end >= 0; ) {
    const before = end === 0 ? -1 : bytes.lastIndexOf(newline, end - 1)
    if (before < 0 && !isWholeFile) return undefined
    const line = bytes.subarray(before + 1, end)
    const hash = checkSeal(line, digest)
    const seq = hash && /^\{"seq":(\d+),/.exec(line.toString('latin1', 0, 32))?.[1]
    if (hash && seq) return { seq: Number(seq), hash, end: end + 1 }
    end = before
  }
  return undefined
}

const chunkBytes = 1024 * 1024
const newline = 0x0a

/**
 * A file in runs of whole lines, each valid until the next is read, in memory that does not grow with the file.
 * What follows the last newline comes last, by itself: a write that was cut short, or, and then reading stops, the
 * beginning of a line longer than a journal's can be.
 */
export async function* readRuns(file: string): AsyncGenerator<Buffer> {
  const handle = await open(file, 'r')
  try {
    const buffer = Buffer.allocUnsafe(chunkBytes + maxLineBytes)
    let kept = 0
    for (;;) {
      const { bytesRead } = await handle.read(buffer, kept, chunkBytes, null)
      const filled = buffer.subarray(0, kept + bytesRead)
      const end = filled.lastIndexOf(newline) + 1
      if (end > 0) yield filled.subarray(0, end)
      kept = filled.length - end
      if (kept > 0 && (bytesRead === 0 || kept > maxLineBytes)) yield filled.subarray(end)
      if (bytesRead === 0 || kept > maxLineBytes) return
      buffer.copy(buffer, 0, end, filled.length)
    }
  } finally {
    await handle.close()
  }
}

/**
 * The same from the end: each run comes before the one returned before it, and its lines are in the order written. What
 * follows the last newline is left out, and so is a line longer than a journal's can be.
 */
export async function* readRunsBackward(file: string): AsyncGenerator<Buffer> {
  const handle = await open(file, 'r')
  try {
    let start = (await handle.stat()).size
    /** The end of a line that begins further up, with its newline. */
    let rest: Buffer = Buffer.alloc(0)
    while (start > 0) {
      const length = Math.min(start, chunkBytes)
      start -= length
      const chunk = Buffer.allocUnsafe(length + rest.length)
      const { bytesRead } = await handle.read(chunk, 0, length, start)
      if (bytesRead < length) return
      rest.copy(chunk, length)
      const lines = chunk.subarray(0, chunk.lastIndexOf(newline) + 1)
      const from = start === 0 ? 0 : lines.indexOf(newline) + 1
      if (from < lines.length) yield lines.subarray(from)
      rest = Buffer.from(from > maxLineBytes ? '\n' : lines.subarray(0, from))
    }
  } finally {
    await handle.close()
  }
}

/** The lines of a run, without their newlines. Stops when `visit` returns false, and says so. */
export function visitLines(run: Buffer, visit: (line: Buffer) => boolean): boolean {
  let start = 0
  for (let end = run.indexOf(newline); end >= 0; end = run.indexOf(newline, start)) {
    if (!visit(run.subarray(start, end))) return false
    start = end + 1
  }
  return true
}

export const isUnfinished = (run: Buffer) => run.at(-1) !== newline
