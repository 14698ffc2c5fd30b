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
