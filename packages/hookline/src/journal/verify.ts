import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Checkpoint } from './chain.ts'
import { partsOf } from './parts.ts'
import { isUnfinished, readRuns, visitLines } from './read.ts'
import { makeWalk } from './walk.ts'

export interface VerifyOptions {
  /** The key the journal was written with. */
  key?: string | Buffer
  /** Without one, nobody can tell that the last entries were cut off, or, without a key, that all was written anew. */
  checkpoint?: Checkpoint
  /** The rotated files too, as one log. */
  across?: boolean
  /** Hears how many bytes were read, now and then. */
  onRead?(bytes: number): void
}

export interface VerifyResult {
  /**
   * `torn`: intact up to a last write that a crash cut short. `tampered`: changed at entry `at`. `truncated`: lines that
   * the checkpoint vouches for, or all lines, are missing from the end. `missing`: there is no file.
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

/** Reads a journal once, in constant memory, and tells whether it is as it was written. */
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
