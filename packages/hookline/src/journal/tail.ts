import { closeSync, existsSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Entry } from './entry.ts'
import {
  forReading,
  type Genesis,
  type Part,
  parseGenesis,
  readGenesis,
  readPart,
  readTail,
  rotatedParts,
  visitLines,
} from './files.ts'
import { checkSeal, lineStart, makeDigest, maxLineBytes, zeroHash } from './line.ts'
import { parseEntry } from './query.ts'

/** How far somebody has read a journal, and what the chain is there: enough to read on in another process. */
export interface JournalPosition {
  log: string
  /** The file, by the place of its first line, which no rename changes. */
  part: number
  /** Where the next line begins in it. */
  offset: number
  /** The place of the next line, and the hash of the one before it. */
  seq: number
  head: string
}

/** One line. Its place in a file is good for as long as the journal keeps that file. */
export interface JournalLine {
  log: string
  part: number
  offset: number
  bytes: number
  seq: number
  hash: string
  /** Absent: the journal says something about itself. */
  entry?: Entry
  /** What is wrong with it, where it is not what its writer left there. */
  broken?: string
}

/** Lines that were read together, and where to read on. */
export interface JournalRun {
  lines: JournalLine[]
  /** As they were written, each with its newline. */
  bytes: Buffer
  position: JournalPosition
}

/**
 * What was written since a position, or all of it, checked line by line against the chain: an index of the journal reads
 * along with this, in steps, and loses nothing when it is killed between two of them. Ends at the end of the journal. A line
 * that breaks the chain is returned as broken, and reading goes on from what it says of itself.
 */
export async function* readJournalFrom(file: string, from?: JournalPosition): AsyncGenerator<JournalRun> {
  for (const { part, position } of partsAfter(file, from)) if (!(yield* readPartFrom(part, position))) return
}

/** The bytes of one line, if the journal still has them as they were. */
export async function readJournalLine(
  file: string,
  { log, part, offset, bytes }: Pick<JournalLine, 'log' | 'part' | 'offset' | 'bytes'>,
): Promise<{ entry?: Entry; hash?: string } | undefined> {
  const found = partsIn(file).find(({ genesis }) => genesis.log === log && genesis.seq === part)
  if (!found) return undefined
  const handle = await open(found.file, 'r')
  try {
    if (!isSameFile(handle.fd, found.genesis)) return undefined
    const line = Buffer.alloc(Math.min(bytes, maxLineBytes))
    const { bytesRead } = await handle.read(line, 0, line.length, offset)
    const hash = bytesRead === line.length ? checkSeal(line, makeDigest()) : undefined
    const entry = parseEntry(line.toString())
    return { ...(entry && { entry }), ...(hash !== undefined && { hash }) }
  } finally {
    await handle.close()
  }
}

/** Where the journal ends: how many lines it has had over all its files, and which log it is. */
export function endOfJournal(file: string): { log: string; seq: number } | undefined {
  const current = partsIn(file).at(-1)
  if (!current) return undefined
  let fd: number | undefined
  try {
    fd = openSync(current.file, forReading)
    const { last } = readTail(fd, makeDigest())
    return { log: current.genesis.log, seq: (last?.seq ?? current.genesis.seq - 1) + 1 }
  } catch {
    // It was rotated away in this moment.
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** All files, oldest first. The current one is looked at first: if it is rotated meanwhile it is found once more, and nothing is missed. */
function partsIn(file: string): Part[] {
  const current = existsSync(file) ? readPart(file) : undefined
  const rotated = rotatedParts(file)
  const isTwice = rotated.some(
    ({ genesis: { log, seq } }) => log === current?.genesis.log && seq === current.genesis.seq,
  )
  return [...rotated, ...(current && !isTwice ? [current] : [])]
}

/** The files that are left to read, oldest first. A log that is another one now is read from its beginning. */
function partsAfter(file: string, from: JournalPosition | undefined): { part: Part; position: JournalPosition }[] {
  const parts = partsIn(file)
  const current = parts.at(-1)
  if (!current) return []
  const own = parts.filter(({ genesis }) => genesis.log === current.genesis.log)
  const known = from?.log === current.genesis.log ? from : undefined
  return own
    .filter(({ genesis }) => known === undefined || genesis.seq >= known.part)
    .map((part) => ({ part, position: part.genesis.seq === known?.part ? known : startOf(part) }))
}

const startOf = ({ genesis: { log, seq, previous } }: Part): JournalPosition => ({
  ...{ log, part: seq, offset: 0, seq },
  head: previous?.head ?? zeroHash,
})

/** Little at once: whoever puts it into a database does nothing else meanwhile. */
const chunkBytes = 256 * 1024

/** False: another file has this name by now, because it was rotated meanwhile; whoever reads on later finds it by its new name. */
async function* readPartFrom({ file, genesis }: Part, from: JournalPosition): AsyncGenerator<JournalRun, boolean> {
  let at = from
  const handle = await open(file, forReading).catch(() => undefined)
  if (!handle) return false
  try {
    if (!isSameFile(handle.fd, genesis)) return false
    for (;;) {
      const left = (await handle.stat()).size - at.offset
      if (left <= 0) return true
      const buffer = Buffer.allocUnsafe(Math.min(left, chunkBytes + maxLineBytes))
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at.offset)
      const end = buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1
      if (end === 0) return true
      const run = checkLines(buffer.subarray(0, end), at)
      at = run.position
      yield run
    }
  } finally {
    await handle.close()
  }
}

/**
 * Whole lines that follow a position, whoever has sent them: each checked against the chain. At the offset 0 the first line of a file may
 * stand, which goes on from what nobody here has seen.
 */
export function checkLines(bytes: Buffer, from: JournalPosition): JournalRun {
  const digest = makeDigest()
  let at = from
  const lines: JournalLine[] = []
  visitLines(bytes, (line) => {
    const read = readLine(line)
    lines.push(read)
    at = { ...at, offset: at.offset + line.length + 1, seq: read.seq + 1, head: read.hash }
    return true
  })
  return { lines, bytes, position: at }

  function readLine(line: Buffer): JournalLine {
    const { log, part, offset, seq, head } = at
    const hash = checkSeal(line, digest)
    const text = line.toString()
    const place = { log, part, offset, bytes: line.length }
    const entry = parseEntry(text)
    const own = { ...(entry && { entry }) }
    if (hash === undefined) {
      const stated = /"hash":"([0-9a-f]{64})"\}$/.exec(text)?.[1] ?? head
      return {
        ...place,
        ...own,
        seq: seqOf(text) ?? seq,
        hash: stated,
        broken: 'its content is not what its hash says',
      }
    }
    const isNext = text.startsWith(lineStart(seq, head)) || (offset === 0 && parseGenesis(text)?.log === log)
    if (isNext) return { ...place, ...own, seq, hash }
    return { ...place, ...own, seq: seqOf(text) ?? seq, hash, broken: 'it does not follow from the line before it' }
  }
}

const isSameFile = (fd: number, { log, seq }: Genesis): boolean => {
  const found = readGenesis(fd)
  return found?.log === log && found.seq === seq
}

const seqOf = (line: string): number | undefined => {
  const digits = /^\{"seq":(\d+),/.exec(line)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
