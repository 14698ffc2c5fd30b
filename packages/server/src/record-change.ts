import { randomUUID } from 'node:crypto'
import { note, openJournal } from 'hookline/internal'
import type { Who } from './access/index.ts'
import type { World } from './world.ts'

/** Writes down in the journal what somebody changed here. */
export async function recordChange(
  { index, log }: Pick<World, 'index' | 'log'>,
  who: Who,
  what: string,
  more: Readonly<Record<string, unknown>> = {},
) {
  const { code, message } = note('server-change', { who: who.name, what })
  const journal = await openJournal({ file: index.file, onNote: (problem) => log(problem.message) })
  await journal.append({
    time: new Date().toISOString(),
    event: 'notification',
    dispatch: randomUUID(),
    generation: 0,
    synthetic: false,
    outcome: 'no-opinion',
    hooks: [],
    notes: [{ code }],
    payload: { notification_level: 'info', notification_message: message, by: who.id, ...more },
  })
  await journal.close()
}
