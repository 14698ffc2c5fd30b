import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, readdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { builtEntry } from '../platform/entry.ts'
import { stringifyJson } from '../core/index.ts'
import type { EntryInput } from './entry.ts'
import type { Journal, JournalOptions } from './journal.ts'
import { openFile } from './open.ts'

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
  const pending = `${file}${pendingMark}${randomUUID().slice(0, 8)}`
  writeFileSync(pending, '', { flag: 'wx', mode: 0o600 })
  const handed: Handed = { options, entries, pending }
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

const pendingMark = '.pending-'
/** Whoever has not written by now was stopped or could not. */
const abandonedAfterMs = 10_000

/** Waits until what was handed over is written. Gives back the marks of what never was. */
export async function awaitPending(file: string): Promise<string[]> {
  for (;;) {
    const marks = marksOf(file)
    const isAbandoned = (mark: string) => ageOf(mark) > abandonedAfterMs
    if (marks.every(isAbandoned)) return marks
    await delay(15)
  }
}

/** Those who were given something to write and did not: forgotten here, to be counted as lost. */
export function clearAbandoned(file: string): number {
  const abandoned = marksOf(file).filter((mark) => ageOf(mark) > 6 * abandonedAfterMs)
  for (const mark of abandoned) unlinkSync(mark)
  return abandoned.length
}

function marksOf(file: string): string[] {
  try {
    const prefix = `${basename(file)}${pendingMark}`
    const names = readdirSync(dirname(file)).filter((name) => name.startsWith(prefix))
    return names.map((name) => join(dirname(file), name))
  } catch {
    return []
  }
}

function ageOf(mark: string): number {
  return Date.now() - (statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0)
}
