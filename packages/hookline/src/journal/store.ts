import { HooklineError, note } from '../core/index.ts'
import { type EntryInput, isEventful } from './entry.ts'
import { failureNote, type Journal, type JournalOptions, type JournalStore, makeListeners, warn } from './journal.ts'
import { makeDigest, zeroHash } from './line.ts'
import { makePrepare } from './prepare.ts'

export const isJournalStore = (given: object): given is JournalStore =>
  typeof (given as Partial<JournalStore>).append === 'function'

const defaultBatchMs = 20

/** Entries are handed over every few milliseconds; at once where a verdict waits for them. */
export async function openStoreJournal(options: JournalOptions & { store: JournalStore }): Promise<Journal> {
  const { store, record = 'asked', batchMs = defaultBatchMs } = options
  const prepare = await makePrepare(options, makeDigest(options.key))
  const listeners = makeListeners()
  const isAwaited = options.durability === 'full' || options.onFailure === 'block'
  let waiting: (EntryInput | (() => EntryInput))[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let writing: Promise<void> = Promise.resolve()
  let count = 0
  let lost = 0
  let lastError: string | undefined
  let closed = false

  return {
    append(given) {
      if (closed) throw new HooklineError(note('closed', {}))
      waiting.push(typeof given === 'function' ? given : structuredClone(given))
      if (isAwaited) {
        const written = write()
        return options.onFailure === 'block' ? written : written.catch(() => {})
      }
      timer ??= setTimeout(() => void write().catch(() => {}), batchMs)
    },
    subscribe: listeners.add,
    async *entries() {
      await write().catch(() => {})
      yield* store.entries()
    },
    flush: () => write().catch(() => {}),
    checkpoint: () => ({ log: 'store', count, head: zeroHash }),
    state: () => ({ healthy: lastError === undefined, lost, ...(lastError !== undefined && { lastError }) }),
    async close() {
      closed = true
      await write().catch(() => {})
    },
  }

  /** One batch after the other: the order of entries is the order of verdicts. */
  function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const batch = waiting
      .map((given) => (typeof given === 'function' ? given() : given))
      .filter((entry) => record === 'all' || isEventful(entry))
      .map(prepare)
    waiting = []
    const turn = writing.then(() => handOver(batch))
    writing = turn.catch(() => {})
    return turn
  }

  async function handOver(batch: readonly { entry: EntryInput }[]): Promise<void> {
    if (batch.length === 0) return
    const lostBefore = lost
    try {
      await store.append(batch.map(({ entry }) => entry))
      listeners.notify(batch, count)
      count += batch.length
      lastError = undefined
    } catch (error) {
      lost += batch.length
      const failure = failureNote(error, lost)
      listeners.notify(batch, undefined, lostBefore)
      if (failure.message !== lastError) warn(options, failure)
      lastError = failure.message
      throw error
    }
  }
}

/** All entries of a program, for tests and short runs; without a bound. */
export function memoryJournal(): JournalStore {
  const kept: string[] = []
  return {
    async append(entries) {
      kept.push(...entries.map((entry) => JSON.stringify(entry)))
    },
    async *entries() {
      for (const [seq, text] of kept.entries()) yield { seq, ...(JSON.parse(text) as EntryInput) }
    },
  }
}
