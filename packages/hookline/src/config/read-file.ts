import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { type Note, note } from '../core/index.ts'
import { stampIn } from '../platform/index.ts'

export type ReadText = { ok: true; text: string } | { ok: false; problem: Note }

/** A hooks file is written by people; four megabytes are more than anyone writes. */
export const maxBytes = 4 * 1024 * 1024

/** Reads a regular file, and never more of it than the limit. Synchronously: it is soon done, and a start waits for it. */
export const readText = async (file: string): Promise<ReadText> => readNow(file)

function readNow(file: string): ReadText {
  let descriptor: number
  try {
    // Not blocking: opening a pipe that nobody writes to would wait for ever.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    return { ok: false, problem: unopened(file, error as NodeJS.ErrnoException) }
  }
  try {
    return readAll(descriptor, file)
  } catch (error) {
    return { ok: false, problem: unreadable(file, (error as Error).message) }
  } finally {
    closeSync(descriptor)
  }
}

function readAll(descriptor: number, file: string): ReadText {
  const stat = fstatSync(descriptor)
  if (!stat.isFile()) return { ok: false, problem: unreadable(file, 'it is not a regular file') }
  if (stat.size > maxBytes) return { ok: false, problem: tooLarge(file, stat.size) }
  let buffer = Buffer.allocUnsafe(stat.size + 1)
  let length = 0
  for (;;) {
    const bytesRead = readSync(descriptor, buffer, length, buffer.length - length, null)
    length += bytesRead
    if (bytesRead === 0 || length > maxBytes) break
    // It grows while it is read.
    if (length === buffer.length) buffer = Buffer.concat([buffer], maxBytes + 1)
  }
  if (length > maxBytes) return { ok: false, problem: tooLarge(file, length) }
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, length)) }
  } catch {
    return { ok: false, problem: unreadable(file, 'it is not UTF-8 text') }
  }
}

/** What was found in a file: the same mark, the same content. No digest, which would cost a start more than it saves. */
export function markOf(read: ReadText): string {
  return read.ok ? `text ${read.text}` : read.problem.code
}

/** Tells, again and again, whether the same stands in these files as when they were read: one that nobody has touched is not read. */
export function freshnessOf(reads: ReadonlyMap<string, string>): () => boolean {
  const stamps = new Map<string, string>()
  return () => {
    for (const [file, mark] of reads) {
      // Looked at before it is read: what is written meanwhile makes another stamp.
      const stamp = stampAt(file)
      if (stamp !== undefined && stamps.get(file) === stamp) continue
      if (markOf(readNow(file)) !== mark) return false
      if (stamp !== undefined) stamps.set(file, stamp)
    }
    return true
  }
}

/** Undefined: it has to be read. */
function stampAt(file: string): string | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false })
    return stats && stampIn(stats)
  } catch {
    return undefined
  }
}

/** What is given as text instead of a file keeps the same limit. */
export function checkLength(text: string, file: string): ReadText {
  const length = Buffer.byteLength(text)
  return length > maxBytes ? { ok: false, problem: tooLarge(file, length) } : { ok: true, text }
}

function tooLarge(file: string, bytes: number): Note {
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MiB`
  return note('config-too-large', { size, limit: `${maxBytes / 1024 / 1024} MiB` }, { where: { file } })
}

function unopened(file: string, error: NodeJS.ErrnoException): Note {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return note('config-missing', { file }, { where: { file } })
  return unreadable(file, error.message)
}

function unreadable(file: string, detail: string): Note {
  return note('config-unreadable', { file, detail }, { where: { file } })
}
