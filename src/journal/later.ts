import { HooklineError, type Note, note } from '../core/index.ts'
import type { EntryInput } from './entry.ts'
import type { Journal, JournalOptions } from './journal.ts'

/**
 * For a process that lives for one event: nothing is loaded or opened before the verdict is out, unless the verdict has
 * to wait for it (`durability: full`, `onFailure: block`). A journal that cannot be opened is then the same as one that
 * cannot be written.
 */
export function openJournalLater(options: JournalOptions, open: () => Promise<Journal>): Journal {
  const isAwaited = options.durability === 'full' || options.onFailure === 'block'
  const waiting: (EntryInput | (() => EntryInput))[] = []
  let opened: Promise<Journal> | undefined
  let lastError: string | undefined
  const ready = () => {
    opened ??= open()
    return opened
  }
  return {
    append(given) {
      if (isAwaited) return ready().then((journal) => journal.append(given))
      waiting.push(given)
    },
    subscribe: () => () => {},
    async *entries() {
      yield* (await ready()).entries()
    },
    flush,
    checkpoint: () => ({ log: '', count: 0, head: '' }),
    state: () => ({ healthy: lastError === undefined, lost: waiting.length, ...(lastError && { lastError }) }),
    async close() {
      await flush()
      await opened?.then((journal) => journal.close()).catch(() => {})
    },
  }

  async function flush(): Promise<void> {
    if (waiting.length === 0) return
    try {
      const journal = await ready()
      for (const entry of waiting.splice(0)) await journal.append(entry)
      await journal.flush()
    } catch (error) {
      lastError = error instanceof Error ? error.message : String(error)
      tell(options, problemOf(error))
    }
  }
}

export function problemOf(error: unknown, lost = 1): Note {
  if (error instanceof HooklineError && error.notes[0]) return error.notes[0]
  return note('journal-failed', { detail: error instanceof Error ? error.message : String(error), lost })
}

export function tell({ onNote }: JournalOptions, said: Note): void {
  if (onNote) onNote(said)
  else process.emitWarning(said.message, { code: said.code, detail: said.remedy })
}
