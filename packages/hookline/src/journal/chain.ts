import { hash, randomUUID } from 'node:crypto'
import { closeSync, fdatasyncSync, fstatSync, openSync, renameSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { type Note, note } from '../core/index.ts'
import {
  freePart,
  type Genesis,
  type Previous,
  readBytes,
  readGenesis,
  readTail,
  removeOldParts,
  rotatedParts,
  type Tail,
} from './files.ts'
import { keyId, makeDigest, maxLineBytes, toBody, writeLine, zeroHash } from './line.ts'
import {
  append,
  cutOff,
  isAt,
  makeSegment,
  openFile,
  refused,
  release,
  type Segment,
  sync,
  syncDirectory,
} from './segment.ts'

/** A place in a log: kept elsewhere, it proves later that nothing up to here was cut off or replaced. */
export interface Checkpoint {
  log: string
  /** How many lines the log has, over all its files. */
  count: number
  /** The hash of the last of them. */
  head: string
}

export interface ChainOptions {
  file: string
  key?: string | Buffer | undefined
  maxBytes: number
  keep: number
  onNote(note: Note): void
}

/**
 * The chain of lines on disk. Several processes may append to one file: `settle` and `write` need the lock, and
 * begin by looking whether the file is still as this process left it.
 */
export interface Chain {
  /** Finds or makes the file, and repairs what a crash left. */
  settle(): void
  /** Writes as many bodies, from the first, as go into one file: at least one. With one write, all or none. */
  write(bodies: readonly string[]): { first: number; taken: number }
  sync(): Promise<void>
  syncNow(): void
  position(): Checkpoint
  close(): void
}

const formatVersion = 1
/** More in one write would hold the lock, and the event loop, for long. */
const maxWriteBytes = 1024 * 1024

export function makeChain({ file, key, maxBytes, keep, onNote }: ChainOptions): Chain {
  const digest = makeDigest(key)
  const ownKey = key === undefined ? undefined : keyId(key)
  let segment: Segment | undefined
  return {
    settle: () => void settle(),
    write(bodies) {
      let current = settle()
      if (current.end + (bodies[0]?.length ?? 0) > maxBytes) current = rotate(current)
      let { count, head } = current
      let text = ''
      let taken = 0
      for (const body of bodies) {
        const { line, hash } = writeLine(count, head, body, digest)
        const length = text.length + line.length
        if (taken > 0 && (length > maxWriteBytes || current.end + length > maxBytes)) break
        text += `${line}\n`
        head = hash
        count++
        taken++
      }
      append(current, text, count, head)
      return { first: count - taken, taken }
    },
    sync: async () => segment && sync(segment),
    syncNow: () => segment && fdatasyncSync(segment.fd),
    position: () => ({ log: segment?.log ?? '', count: segment?.count ?? 0, head: segment?.head ?? zeroHash }),
    close() {
      if (segment) release(segment)
      segment = undefined
    },
  }

  /** The file as it is now: ours and unchanged, longer because another process wrote, or another file altogether. */
  function settle(): Segment {
    if (segment && isAt(file, segment)) return refresh(segment)
    const left = segment && endOf(segment)
    if (segment) release(segment)
    segment = undefined
    const opened = makeSegment(openFile(file))
    const isEmpty = opened.end === 0
    try {
      if (isEmpty) begin(opened, left ?? lastRotated())
      else adopt(opened, inspect(opened))
    } catch (error) {
      closeSync(opened.fd)
      throw error
    }
    if (left && (isEmpty || opened.log !== left.log)) noteChange('it was moved away or replaced')
    segment = opened
    return opened
  }

  function refresh(current: Segment): Segment {
    const { size } = fstatSync(current.fd)
    if (size === current.end) return current
    if (size === 0) {
      noteChange('it was emptied')
      current.end = 0
      begin(current, { ...current, part: current.part + 1, cause: 'truncated' })
      return current
    }
    const found = inspect(current)
    const isSameLog = found.genesis.log === current.log
    if (!isSameLog) noteChange('it was replaced')
    if (isSameLog && (found.tail.last?.seq ?? -1) + 1 < current.count) goOnAfterCut(current, found.tail)
    else adopt(current, found)
    return current
  }

  /** Go on where the file ends, whoever wrote it. */
  function adopt(current: Segment, { genesis, tail }: Found): void {
    if (!tail.last || tail.rest === 'damaged') {
      replaceDamaged(current)
      return
    }
    const { seq, hash } = tail.last
    Object.assign(current, { log: genesis.log, part: genesis.part, count: seq + 1, head: hash, end: tail.end })
    if (tail.rest === 'torn') record(current, { torn: setAside(current, tail.end) })
  }

  function inspect(current: Segment): Found {
    const genesis = readGenesis(current.fd) ?? beginAgain(current)
    if (genesis.key !== ownKey) {
      throw refused(file, ownKey === undefined ? 'it was written with a key' : 'it was not written with this key')
    }
    return { genesis, tail: readTail(current.fd, digest) }
  }

  /** The very first write was torn. Anything else without a beginning is not a journal, and is left alone. */
  function beginAgain(current: Segment): Genesis {
    const bytes = readBytes(current.fd, 0, Math.min(fstatSync(current.fd).size, maxLineBytes))
    const expected = '{"seq":'
    const isOurs = expected.startsWith(bytes.toString('latin1', 0, expected.length)) && !bytes.includes(0x0a)
    if (!isOurs && !bytes.every((byte) => byte === 0)) throw refused(file, 'it is not a journal')
    const torn = setAside(current, 0)
    begin(current, lastRotated())
    record(current, { torn })
    return readGenesis(current.fd) as Genesis
  }

  /** Lines this process knows of are gone. The chain goes on from them, so that `verify` finds the place. */
  function goOnAfterCut(current: Segment, tail: Tail): void {
    const found = (tail.last?.seq ?? -1) + 1
    noteChange(`entries ${found} to ${current.count - 1} were removed`)
    setAside(current, tail.end)
    record(current, { cut: { expected: current.count, found } })
  }

  /** Never append to what does not verify: keep it as evidence, and begin a new log that says so. */
  function replaceDamaged(current: Segment): void {
    const aside = `${file}.damaged-${stamp()}`
    renameSync(file, aside)
    noteChange(`its end was altered, so it is kept as ${aside}`)
    const opened = makeSegment(openFile(file))
    closeSync(current.fd)
    Object.assign(current, opened)
    begin(current, { cause: 'damaged', log: randomUUID(), part: 0, count: 0, head: zeroHash, file: basename(aside) })
  }

  function rotate(current: Segment): Segment {
    const aside = freePart(file, current.part)
    renameSync(file, aside.file)
    release(current)
    segment = undefined
    const next = makeSegment(openFile(file))
    const { log, count, head } = current
    begin(next, { cause: 'rotated', log, count, head, part: aside.part + 1, file: basename(aside.file) })
    removeOldParts(file, log, keep)
    segment = next
    return next
  }

  /** The first line of an empty file. */
  function begin(current: Segment, before?: Before): void {
    const { log, part, count, head } = before ?? { log: randomUUID(), part: 0, count: 0, head: zeroHash }
    const genesis: Omit<Genesis, 'seq'> = {
      format: formatVersion,
      log,
      part,
      digest: ownKey === undefined ? 'sha256' : 'hmac-sha256',
      ...(ownKey !== undefined && { key: ownKey }),
      ...(before && { previous: previousOf(before) }),
    }
    Object.assign(current, { log, part, count, head })
    record(current, genesis, 'genesis')
    syncDirectory(dirname(file))
  }

  /** A line about the journal itself. */
  function record(current: Segment, fields: object, kind = 'recovery'): void {
    const body = toBody({ kind, time: new Date().toISOString(), ...fields })
    const { line, hash } = writeLine(current.count, current.head, body, digest)
    append(current, `${line}\n`, current.count + 1, hash)
  }

  function setAside(current: Segment, end: number): object | undefined {
    const bytes = readBytes(current.fd, end, fstatSync(current.fd).size - end)
    if (bytes.length === 0) return undefined
    const aside = `${file}.torn-${stamp()}`
    cutOff(current, end, bytes, aside)
    onNote(note('journal-torn', { file, bytes: bytes.length }))
    return { bytes: bytes.length, sha256: hash('sha256', bytes, 'hex'), file: basename(aside) }
  }

  /** After a crash between renaming the full file and making the next one, or when the current file was removed. */
  function lastRotated(): Before | undefined {
    const last = rotatedParts(file).at(-1)
    if (!last || last.genesis.key !== ownKey) return undefined
    const fd = openSync(last.file, 'r')
    try {
      const { last: line, rest } = readTail(fd, digest)
      if (!line || rest !== 'none') return undefined
      const { log, part } = last.genesis
      return { cause: 'rotated', log, part: part + 1, count: line.seq + 1, head: line.hash, file: basename(last.file) }
    } finally {
      closeSync(fd)
    }
  }

  /** Others may have written after this process before the file was moved; the open handle still reaches it. */
  function endOf(left: Segment): Before {
    const { last } = readTail(left.fd, digest)
    const { count, head } = last && last.seq >= left.count ? { count: last.seq + 1, head: last.hash } : left
    return { cause: 'moved', log: left.log, part: left.part + 1, count, head }
  }

  function noteChange(detail: string): void {
    onNote(note('journal-cut', { file, detail }))
  }
}

interface Found {
  genesis: Genesis
  tail: Tail
}

/** Where a new file goes on from. */
interface Before extends Checkpoint {
  cause: Previous['cause']
  part: number
  file?: string
}

function previousOf({ cause, count, head, file }: Before): Previous {
  return { cause, entries: count, head, ...(file !== undefined && { file }) }
}

const stamp = () => `${new Date().toISOString().replace(/[-:.]/g, '')}-${randomUUID().slice(0, 4)}`
