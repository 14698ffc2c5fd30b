import { openDeferredJournal } from './deferred.ts'
import type { Journal, JournalOptions } from './journal.ts'
import { openStoreJournal } from './store.ts'

export type { Checkpoint } from './chain.ts'
export type { Clipped } from './clip.ts'
export { unclipped, whatIsMissing } from './clip.ts'
export {
  type Entry,
  type EntryExtra,
  type EntryInput,
  entryOf,
  type HookEntry,
  isAnsweredByPerson,
  isEventful,
} from './entry.ts'
export { partsOf } from './files.ts'
export { type FollowOptions, followJournal } from './follow.ts'
export type { Journal, JournalOptions, JournalState, JournalStore } from './journal.ts'
export { notificationEntry } from './notification.ts'
export { prepareEntries } from './prepare.ts'
export { type JournalFilter, type QueryOptions, queryJournal, rulesOf, undecidedCalls } from './query.ts'
export { isJournalStore, memoryJournal } from './store.ts'
export {
  checkLines,
  endOfJournal,
  type JournalLine,
  type JournalPosition,
  type JournalRun,
  readJournalFrom,
  readJournalLine,
} from './tail.ts'
export { traceDispatch } from './telemetry.ts'
export { type VerifyOptions, type VerifyResult, verifyJournal } from './verify.ts'

/**
 * The append-only record of dispatches. Rejects when the file is refused (a link, another user's, not a journal, another
 * key), and with `onFailure: 'block'` also when it cannot be written; unless it is opened later.
 */
export async function openJournal(options: JournalOptions = {}): Promise<Journal> {
  const { file, store, opens = 'now' } = options
  if (store) return openStoreJournal({ ...options, store })
  if (file === undefined) return (await import('./memory.ts')).openMemoryJournal(options)
  const openHere = async () => (await import('./file.ts')).openFileJournal({ ...options, file })
  if (opens === 'now') return openHere()
  return openDeferredJournal({ ...options, file }, openHere)
}
