import type { Entry } from './entry.ts'
import type { Prepared } from './prepare.ts'

export interface Listeners {
  size(): number
  add(listener: (entry: Entry) => void): () => void
  /** `first` is the place of the first entry; absent: they are lost. */
  tell(batch: readonly Prepared[], first?: number, lostBefore?: number): void
}

/** Those who hear of entries, when the journal is done with its own work. One that throws is a warning, nothing more. */
export function makeListeners(): Listeners {
  const listeners = new Set<(entry: Entry) => void>()
  return {
    size: () => listeners.size,
    add(listener) {
      const own = (entry: Entry) => listener(entry)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    tell(batch, first, lostBefore = 0) {
      if (listeners.size === 0) return
      const told = batch.map(({ entry }, index) => ({
        ...(first !== undefined && { seq: first + index }),
        ...(index === 0 && lostBefore > 0 && { lost: lostBefore }),
        ...entry,
      }))
      queueMicrotask(() => {
        for (const entry of told) for (const listener of listeners) tellOne(listener, entry)
      })
    },
  }
}

function tellOne(listener: (entry: Entry) => void, entry: Entry): void {
  try {
    listener(entry)
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error))
  }
}
