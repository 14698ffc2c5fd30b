import { randomUUID } from 'node:crypto'
import { formatNote, note } from '../core/index.ts'
import { openJournal } from '../journal/index.ts'
import type { Approvable, Inspection } from '../trust/index.ts'
import type { Invocation } from './command.ts'
import { configured } from './configured.ts'
import { journalFor } from './journal-for.ts'

/** Puts on record that a program has approved these, for the person who was not asked. */
export async function recordSelfApproval(
  approved: readonly Inspection<Approvable>[],
  invocation: Invocation,
): Promise<void> {
  const { settings } = await configured(invocation)
  const options = journalFor({}, settings, (said) => invocation.errors.write(`${formatNote(said)}\n`))
  if (options === false) return
  const journal = await openJournal(options)
  for (const { hook, digest } of approved) {
    const said = note('hook-self-approved', { id: hook.id })
    await journal.append({
      time: new Date().toISOString(),
      event: 'notification',
      dispatch: randomUUID(),
      generation: 0,
      synthetic: false,
      outcome: 'no-opinion',
      hooks: [],
      notes: [{ code: said.code, hook: hook.id }],
      payload: {
        notification_level: 'warning',
        notification_message: said.message,
        digest,
        file: hook.origin.where?.file,
      },
    })
  }
  await journal.close()
}
