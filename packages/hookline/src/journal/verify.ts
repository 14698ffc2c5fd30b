import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Checkpoint } from './chain.ts'
import { isUnfinished, parseGenesis, partsOf, readRuns, visitLines } from './files.ts'
import { checkSeal, keyId, lineStart, makeDigest, maxLineBytes, zeroHash } from './line.ts'

export interface VerifyOptions {
  /** The key the journal was written with. */
  key?: string | Buffer
  /** Without one, nobody can tell that the last entries were cut off, or, without a key, that all was written anew. */
  checkpoint?: Checkpoint
  /** The rotated files too, as one log. */
  across?: boolean
  /** Gets how many bytes were read, now and then. */
  onRead?(bytes: number): void
}

export interface VerifyResult {
  /**
   * `torn`: intact up to a last write that a crash cut short. `tampered`: changed at entry `at`. `truncated`: lines that
   * the checkpoint covers, or all lines, are missing from the end. `missing`: there is no file.
   */
  status: 'intact' | 'torn' | 'tampered' | 'truncated' | 'missing'
  /** Which log this is, by its first line. */
  log?: string
  /** The place (`seq`) of the first line looked at: more than 0 when older files were rotated away. */
  from: number
  /** How many lines are intact from there on; what the journal says about itself is among them. */
  entries: number
  /** The hash of the last intact line. */
  head: string
  /** The place at which something is wrong, the file it is in, and the line there, from 1. */
  at?: number
  file?: string
  line?: number
  detail: string
  /** How many entries the journal says it could not write, and how often it had to recover. */
  lost: number
  recoveries: number
}

/** Reads a journal once, in constant memory, and says whether it is as it was written. */
export async function verifyJournal(file: string, options: VerifyOptions = {}): Promise<VerifyResult> {
  for (let attempt = 1; ; attempt++) {
    const result = await verifyOnce(file, options)
    // A journal in use may be caught in the middle of a write; a torn one stays torn.
    if (result.status !== 'torn' || attempt === 3) return result
    await delay(20)
  }
}

async function verifyOnce(file: string, options: VerifyOptions): Promise<VerifyResult> {
  const walk = makeWalk(options)
  const files = options.across ? partsOf(file) : [file]
  const missing = files.find((part) => !existsSync(part))
  if (missing !== undefined) return { ...walk.finish(), status: 'missing', detail: `there is no file ${missing}` }
  for (const part of files) if (!(await walkFile(part))) break
  return walk.finish()

  async function walkFile(part: string): Promise<boolean> {
    walk.enter(part)
    for await (const run of readRuns(part)) {
      const goesOn = isUnfinished(run) ? walk.unfinished(run) : visitLines(run, walk.line)
      if (!goesOn) return false
      options.onRead?.(run.length)
    }
    return true
  }
}

/** Goes along the lines of one log, file after file, and remembers only where it is. Each step says whether to go on. */
export interface Walk {
  enter(file: string): void
  line(line: Buffer): boolean
  /** What follows the last newline of a file. */
  unfinished(rest: Buffer): boolean
  finish(): VerifyResult
}

export function makeWalk({ key, checkpoint }: VerifyOptions): Walk {
  const digest = makeDigest(key)
  const ownKey = key === undefined ? undefined : keyId(key)
  let file = ''
  let log: string | undefined
  let isFirstLine = true
  let lineNumber = 0
  let from = 0
  let next = 0
  let head = zeroHash
  let lost = 0
  let recoveries = 0
  let found: (Pick<VerifyResult, 'status' | 'detail'> & { at: number; file: string; line: number }) | undefined

  return {
    enter(entered) {
      file = entered
      isFirstLine = true
      lineNumber = 0
    },
    line(line) {
      lineNumber++
      if (isFirstLine && !begin(line)) return false
      const start = lineStart(next, head)
      if (line.toString('latin1', 0, start.length) !== start) return tampered(whyNotNext(line))
      const hash = checkSeal(line, digest)
      if (hash === undefined) return tampered(notItsHash)
      if (next + 1 === checkpoint?.count && hash !== checkpoint.head)
        return tampered('it is not what the checkpoint says')
      count(line, start.length)
      head = hash
      next++
      return true
    },
    unfinished(rest) {
      lineNumber++
      if (rest.length > maxLineBytes) return tampered('it is longer than a line of a journal')
      if (!isFirstLine && !couldBeTorn(rest)) return tampered(whyNotNext(rest))
      found = {
        status: 'torn',
        at: next,
        file,
        line: lineNumber,
        detail: `the last write was cut short: ${rest.length} bytes of it are there`,
      }
      return true
    },
    finish() {
      const isShort = next === from || (checkpoint !== undefined && next < checkpoint.count)
      if (isShort && found?.status !== 'tampered') {
        const expected = checkpoint ? `the checkpoint knows of ${checkpoint.count} lines` : 'a journal has a first line'
        found = {
          status: 'truncated',
          at: next,
          file,
          line: lineNumber + 1,
          detail: `${expected}, and there are ${next}`,
        }
      }
      const result = { from, entries: next - from, head, lost, recoveries, ...(log !== undefined && { log }) }
      return { ...result, ...(found ?? { status: 'intact', detail: 'every line is as it was written' }) }
    },
  }

  /** The first line of a file names the log, and where it goes on from. */
  function begin(line: Buffer): boolean {
    const genesis = parseGenesis(line.toString())
    if (!genesis) return tampered('it is not the first line of a journal')
    if (genesis.key !== ownKey) return tampered(keyDetail(genesis.key, ownKey))
    if (checkSeal(line, digest) === undefined) return tampered(notItsHash)
    if (log === undefined) {
      log = genesis.log
      from = next = genesis.seq
      head = genesis.previous?.head ?? zeroHash
      if (next !== (genesis.previous?.entries ?? 0)) return tampered('it does not go on where it says it does')
    }
    if (genesis.log !== (checkpoint?.log ?? log) || genesis.log !== log) return tampered('it belongs to another log')
    if (next === checkpoint?.count && head !== checkpoint.head)
      return tampered('it does not follow from the checkpoint')
    isFirstLine = false
    return true
  }

  function tampered(detail: string): false {
    found = { status: 'tampered', at: next, file, line: lineNumber, detail: `entry ${next}: ${detail}` }
    return false
  }

  function whyNotNext(line: Buffer): string {
    if (line.length === 0) return 'there is an empty line'
    const seq = /^\{"seq":(\d+),/.exec(line.toString('latin1', 0, 32))?.[1]
    if (seq === undefined) return 'it does not begin as a line of a journal does'
    if (Number(seq) === next) return 'it does not follow from the line before it'
    return `found entry ${seq} here: lines were removed, repeated or moved`
  }

  /** As much as is there must be how the next line begins; blocks that were never written read as zeros. */
  function couldBeTorn(rest: Buffer): boolean {
    let length = rest.length
    while (length > 0 && rest[length - 1] === 0) length--
    const start = lineStart(next, head)
    const hasLostItsNewline = length === rest.length && checkSeal(rest.subarray(0, length - 1), digest) !== undefined
    return start.startsWith(rest.toString('latin1', 0, Math.min(length, start.length))) && !hasLostItsNewline
  }

  /** By position, since parsing would cost more than all else: `"kind":"dispatch","lost":3,…`. */
  function count(line: Buffer, start: number): void {
    const kind = line[start + '"kind":"'.length]
    if (kind === letterR) recoveries++
    if (kind !== letterD || line[start + '"kind":"dispatch","'.length] !== letterL) return
    const count = /^"kind":"dispatch","lost":(\d+),/.exec(line.toString('latin1', start, start + 64))?.[1]
    if (count !== undefined) lost += Number(count)
  }
}

const notItsHash = 'its content is not what its hash says'
const [letterD, letterL, letterR] = ['d', 'l', 'r'].map((letter) => letter.charCodeAt(0))

function keyDetail(itsKey: string | undefined, ownKey: string | undefined): string {
  if (ownKey === undefined) return 'it was written with a key, which is needed to verify it'
  return itsKey === undefined ? 'it was written without a key' : 'it was written with another key'
}
