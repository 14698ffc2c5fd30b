import { openFileJournal } from './file.ts'
import type { Journal, JournalOptions } from './journal.ts'
import { openMemoryJournal } from './memory.ts'

export type { Checkpoint } from './chain.ts'
export { undecidedCalls } from './complete.ts'
export { type Entry, type EntryExtra, type EntryInput, entryOf, type HookEntry, isEventful } from './entry.ts'
export type { Journal, JournalOptions, JournalState } from './journal.ts'
export { partsOf } from './parts.ts'
export { type JournalFilter, queryJournal } from './query.ts'
export type { Clipped } from './shorten.ts'
export { traceDispatch } from './telemetry.ts'
export { type VerifyOptions, type VerifyResult, verifyJournal } from './verify.ts'

/**
 * The append-only record of dispatches. Rejects when the file is refused (a link, another user's, not a journal, another
 * key), and with `onFailure: 'block'` also when it cannot be written.
 */
export function openJournal(options: JournalOptions = {}): Promise<Journal> {
  const { file } = options
  return file === undefined ? openMemoryJournal(options) : openFileJournal({ ...options, file })
}
