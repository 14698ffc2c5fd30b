/** Bounds how many runs of one executor go on at once. Fair: first come, first served. */
export interface Slots {
  /** Resolves with the function that gives the slot back; rejects when the signal aborts first. */
  take(signal: AbortSignal | undefined): Promise<() => void>
}

export function makeSlots(size: number): Slots {
  const waiting: (() => void)[] = []
  let free = size

  const giveBack = () => {
    const next = waiting.shift()
    if (next) next()
    else free++
  }
  const once = () => {
    let given = false
    return () => {
      if (!given) giveBack()
      given = true
    }
  }

  return {
    take(signal) {
      if (free > 0) {
        free--
        return Promise.resolve(once())
      }
      return new Promise((resolve, reject) => {
        const start = () => {
          signal?.removeEventListener('abort', leave)
          resolve(once())
        }
        const leave = () => {
          waiting.splice(waiting.indexOf(start), 1)
          reject(signal?.reason)
        }
        waiting.push(start)
        signal?.addEventListener('abort', leave, { once: true })
      })
    },
  }
}
