import { type FileHandle, open, stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Entry } from './entry.ts'
import { parseGenesis, rotatedParts, visitLines } from './files.ts'
import { maxLineBytes } from './line.ts'
import { entryTest, type JournalFilter, parseEntry } from './query.ts'

export interface FollowOptions {
  filter?: JournalFilter
  signal?: AbortSignal
  pollMs?: number
}

/**
 * Entries as they are written, from when it resolves on, without end. The file may not be there yet; it may be rotated (then what
 * was written in between comes first), emptied, replaced or removed: what comes after is returned all the same.
 */
export async function followJournal(file: string, options: FollowOptions = {}): Promise<AsyncGenerator<Entry>> {
  return follow(file, await openReading(file, 'end'), options)
}

async function* follow(
  file: string,
  begun: Reading | undefined,
  { filter = {}, signal, pollMs = 100 }: FollowOptions,
): AsyncGenerator<Entry> {
  const passes = entryTest(filter)
  let reading = begun
  try {
    while (!signal?.aborted) {
      yield* fresh()
      if (await isStill(file, reading)) {
        await delay(pollMs, undefined, signal && { signal }).catch(() => {})
        continue
      }
      // What was written between looking and leaving.
      yield* fresh()
      for (const part of newerParts(file, reading)) {
        await reading?.handle.close()
        reading = await openReading(part, 'start')
        yield* fresh()
      }
    }
  } finally {
    await reading?.handle.close()
  }

  async function* fresh(): AsyncGenerator<Entry> {
    for await (const entry of readNew(reading)) if (passes(entry)) yield entry
  }
}

/** A file that is being read along with its writer. */
interface Reading {
  handle: FileHandle
  at: number
  /** A line that has begun. */
  rest: Buffer
  log?: string
  lastSeq: number
}

async function openReading(file: string, from: 'start' | 'end'): Promise<Reading | undefined> {
  try {
    const handle = await open(file, 'r')
    const reading: Reading = { handle, at: 0, rest: Buffer.alloc(0), lastSeq: -1 }
    if (from === 'end') await skipToEnd(reading)
    return reading
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Up to the last whole line; its number says later what was written in between. */
async function skipToEnd(reading: Reading): Promise<void> {
  const { handle } = reading
  const { size } = await handle.stat()
  const first = Buffer.alloc(Math.min(size, 4096))
  await handle.read(first, 0, first.length, 0)
  noticeGenesis(reading, first.subarray(0, Math.max(0, first.indexOf('\n'))).toString())
  const start = Math.max(0, size - 2 * maxLineBytes)
  const tail = Buffer.alloc(size - start)
  await handle.read(tail, 0, tail.length, start)
  const end = tail.lastIndexOf('\n') + 1
  const lastLine = tail.subarray(tail.lastIndexOf('\n', Math.max(0, end - 2)) + 1, end)
  reading.lastSeq = seqOf(lastLine) ?? reading.lastSeq
  reading.at = start + end
}

async function* readNew(reading: Reading | undefined): AsyncGenerator<Entry> {
  if (!reading) return
  const { size } = await reading.handle.stat()
  if (size < reading.at) Object.assign(reading, { at: 0, rest: Buffer.alloc(0), lastSeq: -1 })
  while (reading.at < size) {
    const chunk = Buffer.allocUnsafe(Math.min(size - reading.at, 1024 * 1024))
    const { bytesRead } = await reading.handle.read(chunk, 0, chunk.length, reading.at)
    if (bytesRead === 0) return
    reading.at += bytesRead
    const text = Buffer.concat([reading.rest, chunk.subarray(0, bytesRead)])
    const end = text.lastIndexOf('\n') + 1
    reading.rest = Buffer.from(text.subarray(end))
    const found: Entry[] = []
    visitLines(text.subarray(0, end), (line) => {
      const entry = parseEntry(line.toString())
      if (entry) found.push(entry)
      else noticeGenesis(reading, line.toString())
      reading.lastSeq = seqOf(line) ?? reading.lastSeq
      return true
    })
    yield* found
  }
}

function noticeGenesis(reading: Reading, line: string): void {
  const log = parseGenesis(line)?.log
  if (log !== undefined) reading.log = log
}

const seqOf = (line: Buffer): number | undefined => {
  const digits = /^\{"seq":(\d+),/.exec(line.toString('latin1', 0, 32))?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** Whether the name still leads to the file that is being read, or to nothing else yet. */
async function isStill(file: string, reading: Reading | undefined): Promise<boolean> {
  const there = await stat(file).catch(() => undefined)
  if (!there || !reading) return !there
  const own = await reading.handle.stat()
  return own.ino === there.ino && own.dev === there.dev
}

/** The files that come after the one that was read: parts rotated away meanwhile, and the current one. */
function newerParts(file: string, left: Reading | undefined): string[] {
  const missed = rotatedParts(file).filter(({ genesis: { log, seq } }) => log === left?.log && seq > left.lastSeq)
  return [...missed.map((part) => part.file), file]
}
