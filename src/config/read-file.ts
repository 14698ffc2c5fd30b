import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { type Note, note } from '../core/index.ts'

export type ReadText = { ok: true; text: string } | { ok: false; problem: Note }

/** A hooks file is written by people; four megabytes are more than anyone writes. */
export const maxBytes = 4 * 1024 * 1024

/** Reads a regular file, and never more of it than the limit. */
export async function readText(file: string): Promise<ReadText> {
  let handle: FileHandle
  try {
    // Not blocking: opening a pipe that nobody writes to would wait for ever.
    handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    return { ok: false, problem: unopened(file, error as NodeJS.ErrnoException) }
  }
  try {
    return await readAll(handle, file)
  } catch (error) {
    return { ok: false, problem: unreadable(file, (error as Error).message) }
  } finally {
    await handle.close()
  }
}

async function readAll(handle: FileHandle, file: string): Promise<ReadText> {
  const stat = await handle.stat()
  if (!stat.isFile()) return { ok: false, problem: unreadable(file, 'it is not a regular file') }
  if (stat.size > maxBytes) return { ok: false, problem: tooLarge(file, stat.size) }
  const buffer = Buffer.allocUnsafe(maxBytes + 1)
  let length = 0
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length)
    length += bytesRead
    if (bytesRead === 0 || length > maxBytes) break
  }
  if (length > maxBytes) return { ok: false, problem: tooLarge(file, length) }
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, length)) }
  } catch {
    return { ok: false, problem: unreadable(file, 'it is not UTF-8 text') }
  }
}

/** What was found in a file, in one word: the same word, the same content. */
export function markOf(read: ReadText): string {
  return read.ok ? createHash('sha256').update(read.text).digest('base64') : read.problem.code
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
