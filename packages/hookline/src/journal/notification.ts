import { randomUUID } from 'node:crypto'
import type { Note } from '../core/index.ts'
import type { EntryInput } from './entry.ts'

/** What somebody did with hooks, not what an agent did, as an entry: for the person who was not there. */
export const notificationEntry = (
  { code, message, hook }: Note,
  level: 'info' | 'warning',
  more: Readonly<Record<string, unknown>>,
): EntryInput => ({
  time: new Date().toISOString(),
  event: 'notification',
  dispatch: randomUUID(),
  generation: 0,
  synthetic: false,
  outcome: 'no-opinion',
  hooks: [],
  notes: [{ code, ...(hook !== undefined && { hook }) }],
  payload: { notification_level: level, notification_message: message, ...more },
})
