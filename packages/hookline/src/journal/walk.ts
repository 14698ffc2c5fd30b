import { checkSeal, keyId, lineStart, makeDigest, maxLineBytes, zeroHash } from './line.ts'
import { parseGenesis } from './tail.ts'
import type { VerifyOptions, VerifyResult } from './verify.ts'

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
    const told = /^"kind":"dispatch","lost":(\d+),/.exec(line.toString('latin1', start, start + 64))?.[1]
    if (told !== undefined) lost += Number(told)
  }
}

const notItsHash = 'its content is not what its hash says'
const [letterD, letterL, letterR] = ['d', 'l', 'r'].map((letter) => letter.charCodeAt(0))

function keyDetail(itsKey: string | undefined, ownKey: string | undefined): string {
  if (ownKey === undefined) return 'it was written with a key, which is needed to verify it'
  return itsKey === undefined ? 'it was written without a key' : 'it was written with another key'
}
