import { unlinkSync, writeFileSync } from 'node:fs'
import type { Handed } from './apart.ts'
import { openFileJournal } from './file.ts'
import { parseOwn } from './parse.ts'
import { clearAbandoned } from './pending.ts'

/** A process of its own that writes what another handed over, and ends; see apart.ts. */
const chunks: Buffer[] = []
for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
const { options, entries, pending } = parseOwn(Buffer.concat(chunks).toString()) as Handed

let failure = 'it could not be written'
try {
  const onNote = ({ message }: { message: string }) => {
    failure = message
  }
  const journal = await openFileJournal({ ...options, onNote, lostBefore: clearAbandoned(options.file) })
  for (const entry of entries) await journal.append(entry)
  await journal.close()
  if (journal.state().lost > 0) throw new Error(failure)
  unlinkSync(pending)
} catch (error) {
  // The mark stays, and says why, for those who read the journal.
  writeFileSync(pending, error instanceof Error ? error.message : String(error))
}
