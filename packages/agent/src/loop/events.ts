import type { Happening } from '../core/index.ts'

/** What happens, for as many readers as there are: each reads at its own pace, from when it began. */
export interface Broadcast {
  send(happening: Happening): void
  /** Readers get what is left, and then their end. */
  end(): void
  read(): AsyncIterableIterator<Happening>
}

/** A reader that does not read must not fill the memory: the oldest is dropped. */
const mostWaiting = 10_000

export function makeBroadcast(): Broadcast {
  const readers = new Set<{ waiting: Happening[]; wake(): void }>()
  let ended = false
  return {
    send(happening) {
      for (const reader of readers) {
        reader.waiting.push(happening)
        if (reader.waiting.length > mostWaiting) reader.waiting.shift()
        reader.wake()
      }
    },
    end() {
      ended = true
      for (const { wake } of readers) wake()
    },
    read() {
      const reader = { waiting: [] as Happening[], wake: () => {} }
      readers.add(reader)
      const over = async (): Promise<IteratorResult<Happening>> => {
        readers.delete(reader)
        return { done: true, value: undefined }
      }
      return {
        async next() {
          while (reader.waiting.length === 0) {
            if (ended) return over()
            await new Promise<void>((resolve) => {
              reader.wake = resolve
            })
          }
          return { done: false, value: reader.waiting.shift()! }
        },
        return: over,
        [Symbol.asyncIterator]() {
          return this
        },
      }
    },
  }
}
