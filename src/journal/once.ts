import { withFileLock } from '../platform/index.ts'
import { makeChain } from './chain.ts'
import { type EntryInput, isEventful } from './entry.ts'
import type { JournalOptions } from './journal.ts'
import { dispatchBody, makeDigest } from './line.ts'
import { makePrepare } from './prepare.ts'
import { tell } from './tell.ts'

/**
 * Writes these entries and lets go of the file: what a process that lives for one event needs of a journal. A host waits
 * for it, so it loads little, and waits for the disk only where `durability` was asked for.
 */
export async function writeOnce(options: JournalOptions & { file: string }, entries: EntryInput[]): Promise<void> {
  const { file, key, durability = 'none', record = 'asked', maxBytes = usualMaxBytes, keep = usualKeep } = options
  const kept = record === 'asked' ? entries.filter(isEventful) : entries
  if (kept.length === 0) return
  const prepare = await makePrepare(options, makeDigest(key))
  const bodies = kept.map((entry) => dispatchBody(prepare(entry).body))
  const chain = makeChain({ file, key, maxBytes, keep, onNote: (said) => tell(options, said) })
  try {
    await withFileLock(`${file}.lock`, () => {
      for (let done = 0; done < bodies.length; ) done += chain.write(bodies.slice(done)).taken
    })
    if (durability !== 'none') chain.syncNow()
  } finally {
    chain.close()
  }
}

export const usualMaxBytes = 64 * 1024 * 1024
export const usualKeep = 16
