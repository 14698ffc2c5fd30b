import type { EntryInput } from './entry.ts'
import { failureNote, type Journal, type JournalOptions, warn } from './journal.ts'

/** A process that still lives then has more to record than one event. */
const soonMs = 250

/**
 * For a process that may live for one event: nothing is loaded or opened before the verdict is out, unless the verdict
 * has to wait for it (`durability: full`, `onFailure: block`). Whoever ends soon writes once; whoever lives on opens the
 * journal and keeps it. One that cannot be opened is then the same as one that cannot be written.
 */
export function openDeferredJournal(options: JournalOptions & { file: string }, open: () => Promise<Journal>): Journal {
  const isAwaited = options.durability === 'full' || options.onFailure === 'block'
  let waiting: (EntryInput | (() => EntryInput))[] = []
  let opened: Promise<Journal> | undefined
  let journal: Journal | undefined
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<unknown> = Promise.resolve()
  let lost = 0
  let lastError: string | undefined
  const ready = () => {
    opened ??= open().catch((error: unknown) => {
      // The next entry may find the disk as it should be.
      opened = undefined
      throw error
    })
    return opened
  }
  return {
    append(given) {
      if (journal) return journal.append(given)
      if (isAwaited) return ready().then((journal) => journal.append(given))
      waiting.push(given)
      timer ??= setTimeout(() => write(intoOpen), soonMs).unref()
    },
    subscribe: () => () => {},
    async *entries() {
      yield* (await ready()).entries()
    },
    flush,
    checkpoint: () => ({ log: '', count: 0, head: '' }),
    state: () => journal?.state() ?? { healthy: lastError === undefined, lost, ...(lastError && { lastError }) },
    async close() {
      await flush()
      await opened?.then((journal) => journal.close()).catch(() => {})
    },
  }

  async function flush(): Promise<void> {
    if (waiting.length > 0) write(opened ? intoOpen : once)
    await writing
    await opened?.then((journal) => journal.flush()).catch(() => {})
  }

  function write(how: (entries: EntryInput[]) => Promise<void>): void {
    writing = Promise.all([writing, writeAll(how)])
  }

  async function writeAll(how: (entries: EntryInput[]) => Promise<void>): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const entries = waiting.map((given) => (typeof given === 'function' ? given() : given))
    waiting = []
    try {
      await how(entries)
    } catch (error) {
      lost += entries.length
      const failure = failureNote(error, lost)
      if (failure.message !== lastError) warn(options, failure)
      lastError = failure.message
    }
  }

  async function once(entries: EntryInput[]): Promise<void> {
    await (await import('./file.ts')).writeOnce(options, entries)
  }

  /** In order: what comes while these are written waits with the others. */
  async function intoOpen(entries: EntryInput[]): Promise<void> {
    const open = await ready()
    for (const entry of entries) await open.append(entry)
    if (waiting.length === 0) journal = open
  }
}
