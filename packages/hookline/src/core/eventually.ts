/**
 * Now, or later. What can answer at once does, and nobody waits for it: a promise costs more than most hooks in this
 * process need for their answer.
 */
export type Eventually<T> = T | Promise<T>

export function isThenable<T>(value: unknown): value is Promise<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

/** Does `last` when the work is over, now or later, and whichever way it ended. */
export function withEnd<T>(work: () => Eventually<T>, last: () => void): Eventually<T> {
  let pending = false
  try {
    const begun = work()
    pending = isThenable(begun)
    return pending ? (begun as Promise<T>).finally(last) : begun
  } finally {
    if (!pending) last()
  }
}
