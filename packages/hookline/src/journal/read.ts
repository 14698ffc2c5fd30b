import { open } from 'node:fs/promises'
import { maxLineBytes } from './line.ts'

const chunkBytes = 1024 * 1024
const newline = 0x0a

/**
 * A file in runs of whole lines, each valid until the next is asked for, in memory that does not grow with the file.
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
 * The same from the end: each run comes before the one told before it, and its lines are in the order written. What
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
