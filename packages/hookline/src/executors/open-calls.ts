import { HookFailure } from '../core/index.ts'

/**
 * Gives work a signal that aborts with its call and at close. Listeners of our own, since AbortSignal.any() would keep
 * something of every call for as long as the executor lives.
 */
export interface OpenCalls {
  during<T>(outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** The same for work whose end is told by calling `end`. */
  link(outer: AbortSignal): { signal: AbortSignal; end(): void }
  close(): void
}

export function openCalls(): OpenCalls {
  const running = new Set<AbortController>()
  let closed = false

  function link(outer: AbortSignal) {
    const controller = new AbortController()
    const abort = () => controller.abort()
    if (closed || outer.aborted) abort()
    outer.addEventListener('abort', abort, { once: true })
    running.add(controller)
    return {
      signal: controller.signal,
      end() {
        running.delete(controller)
        outer.removeEventListener('abort', abort)
      },
    }
  }

  return {
    link,
    async during(outer, work) {
      if (closed || outer.aborted) throw new HookFailure('aborted', 'Stopped before it began.')
      const { signal, end } = link(outer)
      try {
        return await work(signal)
      } finally {
        end()
      }
    },
    close() {
      closed = true
      for (const controller of running) controller.abort()
    },
  }
}
