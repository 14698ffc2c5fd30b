import { formatNote, type Note } from '../core/index.ts'
import { notificationEntry, openJournal } from '../journal/index.ts'
import type { Invocation } from './command.ts'
import { configured } from './configured.ts'
import { journalFor } from './journal-for.ts'

/** Records what somebody did with hooks, not what an agent did: for the person who was not there. */
export async function recordNote(
  recorded: Note,
  more: Readonly<Record<string, unknown>>,
  invocation: Invocation,
): Promise<void> {
  const { settings } = await configured(invocation, [], { quiet: true, mayBeNone: true })
  const options = journalFor({}, settings, (warning) => invocation.errors.write(`${formatNote(warning)}\n`))
  if (options === false) return
  const journal = await openJournal(options)
  await journal.append(notificationEntry(recorded, 'warning', more))
  await journal.close()
}
