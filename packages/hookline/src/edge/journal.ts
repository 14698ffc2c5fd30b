import type { Eventually, Verdict } from '../core/index.ts'
import type { Journal, JournalOptions } from '../journal/journal.ts'
import { openMemoryJournal } from '../journal/memory.ts'
import { openStoreJournal } from '../journal/store.ts'
import { missingHere } from './missing.ts'

export { type EntryInput, entryOf, isAnsweredByPerson } from '../journal/entry.ts'
export type { Journal, JournalOptions, JournalStore } from '../journal/journal.ts'
export { isJournalStore, memoryJournal } from '../journal/store.ts'

export async function openJournal(options: JournalOptions = {}): Promise<Journal> {
  if (options.file !== undefined) throw missingHere('A journal in a file', 'Give `journal` a store of yours.')
  const { store } = options
  return store ? openStoreJournal({ ...options, store }) : openMemoryJournal(options)
}

/** Spans are made where the API of OpenTelemetry can be loaded. */
export const traceDispatch = (_event: object, run: () => Eventually<Verdict>): Eventually<Verdict> => run()
