import { note, notificationEntry, openJournal } from 'hookline/internal'
import type { Who } from './access/index.ts'
import type { World } from './world.ts'

/** Writes down in the journal what somebody changed here. */
export async function recordChange(
  { index, log }: Pick<World, 'index' | 'log'>,
  who: Who,
  what: string,
  more: Readonly<Record<string, unknown>> = {},
) {
  const journal = await openJournal({ file: index.file, onNote: (problem) => log(problem.message) })
  const change = note('server-change', { who: who.name, what })
  await journal.append(notificationEntry(change, 'info', { by: who.id, ...more }))
  await journal.close()
}
