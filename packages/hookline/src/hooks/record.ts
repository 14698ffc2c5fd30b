import type { Verdict } from '../core/index.ts'
import { eventRow, note } from '../core/index.ts'
import { combine } from '../engine/index.ts'
import type { EntryInput, Journal } from '../journal/index.ts'

/** For programs that keep no record. */
export const noJournal: Journal = {
  append: () => {},
  subscribe: () => () => {},
  async *entries() {},
  flush: async () => {},
  checkpoint: () => ({ log: 'none', count: 0, head: '' }),
  state: () => ({ healthy: true, lost: 0 }),
  close: async () => {},
}

/** A journal that must not be missed turns a verdict it could not keep into a refusal. */
export function recorded(journal: Journal, verdict: Verdict, entry: () => EntryInput): Verdict | Promise<Verdict> {
  const written = journal.append(entry)
  if (!written) return verdict
  return written.then(
    () => verdict,
    (error: Error) => {
      const said = note('journal-failed', { detail: error.message, lost: journal.state().lost })
      const row = eventRow(verdict.event)
      const refusal = row.deny
        ? { decision: { ruling: 'deny', reason: said.message } as const }
        : { halt: { reason: said.message } }
      const { event, payload, reports, notes, ...opinion } = verdict
      return { event, payload, reports, notes: [...notes, said], ...combine([opinion, refusal]) }
    },
  )
}
