import { HooklineError, type Note, note } from '../core/index.ts'
import type { JournalOptions } from './journal.ts'

export function tell({ onNote }: JournalOptions, said: Note): void {
  if (onNote) onNote(said)
  else process.emitWarning(said.message, { code: said.code, detail: said.remedy })
}

export function problemOf(error: unknown, lost = 1): Note {
  if (error instanceof HooklineError && error.notes[0]) return error.notes[0]
  return note('journal-failed', { detail: error instanceof Error ? error.message : String(error), lost })
}
