/** Ctrl+C and other requests to end abort the work, which cleans up after itself. */
export interface Interrupt {
  readonly signal: AbortSignal
  /** From now on, Ctrl+C does what it always does. */
  release(): void
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The exit code of a program that was interrupted, as shells know it: 128 and SIGINT. */
export const interrupted = 130

export function onInterrupt(): Interrupt {
  const controller = new AbortController()
  const stop = () => controller.abort()
  for (const signal of signals) process.on(signal, stop)
  return {
    signal: controller.signal,
    release() {
      for (const signal of signals) process.off(signal, stop)
    },
  }
}
