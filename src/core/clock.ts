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

let told = { at: 0, iso: '' }

/** The time of day. Many events fall into one millisecond, and spelling it out costs more than the rest of a payload. */
export function isoNow(): string {
  const at = Date.now()
  if (at !== told.at) told = { at, iso: new Date(at).toISOString() }
  return told.iso
}
