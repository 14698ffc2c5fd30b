/**
 * Milliseconds on a clock that never goes back. Node makes `performance` when it is first used, which costs a start a
 * millisecond; where there is `process`, there is a cheaper one.
 */
export const now: () => number =
  typeof process === 'object' && typeof process.hrtime === 'function'
    ? () => {
        const [seconds, nanoseconds] = process.hrtime()
        return seconds * 1_000 + nanoseconds / 1_000_000
      }
    : () => performance.now()

let second = Number.NaN
let spelled = ''

/** The time of day. Every event carries it, and spelling it out would cost more than copying the rest of its payload. */
export function isoNow(): string {
  const at = Date.now()
  const millisecond = at % 1_000
  if (at - millisecond !== second) {
    second = at - millisecond
    spelled = new Date(second).toISOString().slice(0, -4)
  }
  return `${spelled}${String(millisecond).padStart(3, '0')}Z`
}

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
