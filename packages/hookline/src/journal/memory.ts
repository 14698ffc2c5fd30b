import { HooklineError, note, stringifyJson } from '../core/index.ts'
import { type EntryInput, isEventful } from './entry.ts'
import { type Journal, type JournalOptions, makeListeners } from './journal.ts'
import { makeDigest, parseOwn, zeroHash } from './line.ts'
import { makePrepare } from './prepare.ts'

/** Few, because what is kept is what the garbage collector must carry along on every round. */
const defaultCapacity = 100
/** Larger entries are clipped right away. */
const plainLength = 32 * 1024

/**
 * The last entries, in memory. Each is kept as text, so that it stays what it was, or as the function that makes it, and
 * is redacted when somebody looks: most are never looked at.
 */
export async function openMemoryJournal(options: JournalOptions): Promise<Journal> {
  const prepare = await makePrepare(options, makeDigest(options.key), plainLength)
  const listeners = makeListeners()
  const capacity = Math.max(1, options.capacity ?? defaultCapacity)
  const ring: { seq: number; kept: string | (() => EntryInput) }[] = []
  let count = 0
  let closed = false
  return {
    append(input) {
      if (closed) throw new HooklineError(note('closed', {}))
      if (typeof input !== 'function' && (options.record ?? 'asked') === 'asked' && !isEventful(input)) return
      const kept = typeof input === 'function' ? input : textOf(input)
      const seq = count++
      ring[seq % capacity] = { seq, kept }
      if (listeners.size() > 0) listeners.notify([prepare(entryIn(kept))], seq)
    },
    subscribe: listeners.add,
    async *entries() {
      const sorted = [...ring].sort((a, b) => a.seq - b.seq)
      for (const { seq, kept } of sorted) yield { seq, ...prepare(entryIn(kept)).entry }
    },
    flush: async () => {},
    checkpoint: () => ({ log: 'memory', count, head: zeroHash }),
    state: () => ({ healthy: true, lost: 0 }),
    close: async () => {
      closed = true
    },
  }

  function textOf(input: EntryInput): string {
    try {
      const text = stringifyJson(input)
      if (text.length <= plainLength) return text
    } catch {
      // Not JSON: what can be kept of it is decided where entries are prepared.
    }
    return prepare(input).body
  }
}

const entryIn = (kept: string | (() => EntryInput)): EntryInput =>
  typeof kept === 'function' ? kept() : (parseOwn(kept) as EntryInput)
