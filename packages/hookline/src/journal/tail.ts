import { fstatSync, readSync } from 'node:fs'
import { checkSeal, type Digest } from './line.ts'

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

const newline = 0x0a

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
