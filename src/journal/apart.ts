import { spawn } from 'node:child_process'
import { closeSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stringifyJson } from '../core/index.ts'
import { builtEntry } from '../platform/entry.ts'
import type { EntryInput } from './entry.ts'
import type { Journal, JournalOptions } from './journal.ts'
import { openFile } from './open.ts'
import { markPending } from './pending.ts'

/** What the writer is handed, as JSON on its standard input. */
export interface Handed {
  options: JournalOptions & { file: string }
  entries: EntryInput[]
  /** Removed when all is written: until then, readers wait, and afterwards it tells that something was lost. */
  pending: string
}

/**
 * Hands the entries to a process of their own, which removes secrets, writes, and ends: the host that waits for this
 * process does not wait for that. Whether the file can be written at all is looked at here, where somebody can be told.
 */
export function openJournalApart(options: JournalOptions & { file: string }): Journal {
  const entries: EntryInput[] = []
  return {
    append(given) {
      entries.push(typeof given === 'function' ? given() : given)
    },
    subscribe: () => () => {},
    async *entries() {},
    async flush() {
      if (entries.length > 0) await handOver(options, entries.splice(0))
    },
    checkpoint: () => ({ log: '', count: 0, head: '' }),
    state: () => ({ healthy: true, lost: 0 }),
    close: async () => {},
  }
}

async function handOver(
  { onNote: _, redact: __, ...options }: Handed['options'],
  entries: EntryInput[],
): Promise<void> {
  const { file } = options
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openFile(file).fd)
  const handed: Handed = { options, entries, pending: markPending(file) }
  await new Promise<void>((resolve, reject) => {
    const writer = spawn(process.execPath, [fileURLToPath(builtEntry('journal-writer'))], {
      ...{ cwd: dirname(file), detached: true, windowsHide: true },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    writer.on('error', reject)
    writer.unref()
    writer.stdin.on('error', reject)
    writer.stdin.end(stringifyJson(handed), () => resolve())
  })
}
