import { now } from '../core/clock.ts'
import { HookFailure } from '../core/index.ts'

/** How long a stopped executor may take to clean up, unless it says otherwise. */
const defaultSettleMs = 1_500

/** What the work may ask of its deadline. */
export interface Clock {
  signal(): AbortSignal
  aborted(): boolean
  remainingMs(): number
}

export interface Limits {
  timeoutMs: number
  /** The dispatch was cancelled. */
  cancel: AbortSignal | undefined
  settleMs?: number | undefined
  /** Called when abandoned work answers after all. */
  late(): void
}

/**
 * One deadline over everything a hook does. At the deadline, or when the dispatch is cancelled, the work is told to
 * stop; it may settle within a bound, and is abandoned after it. What it answers then no longer counts.
 */
export function withDeadline<T>(limits: Limits, work: (clock: Clock) => Promise<T>): Promise<T> {
  const end = now() + limits.timeoutMs
  let controller: AbortController | undefined
  let failure: HookFailure | undefined
  // Made when somebody looks: most hooks in this process never do, and it costs more than the rest of the gate.
  const signal = () => {
    controller ??= new AbortController()
    if (failure) controller.abort(failure)
    return controller.signal
  }

  return new Promise<T>((resolve, reject) => {
    let settled = false
    let abandon: ReturnType<typeof setTimeout> | undefined

    const settle = (act: () => void) => {
      if (settled) return limits.late()
      settled = true
      clearTimeout(timer)
      clearTimeout(abandon)
      limits.cancel?.removeEventListener('abort', cancelled)
      act()
    }
    const stop = (reason: HookFailure) => {
      if (failure) return
      failure = reason
      controller?.abort(reason)
      abandon = setTimeout(() => settle(() => reject(reason)), limits.settleMs ?? defaultSettleMs)
    }
    const cancelled = () => stop(new HookFailure('aborted', 'the dispatch was cancelled'))
    const timer = setTimeout(() => {
      stop(
        new HookFailure(
          'time-out',
          `no answer within ${seconds(limits.timeoutMs)}`,
          'Raise `timeout`, or make the hook faster.',
        ),
      )
    }, limits.timeoutMs)

    if (limits.cancel?.aborted) cancelled()
    limits.cancel?.addEventListener('abort', cancelled, { once: true })
    Promise.resolve()
      .then(() => {
        if (failure) throw failure
        return work({
          signal,
          aborted: () => failure !== undefined,
          remainingMs: () => Math.max(0, end - now()),
        })
      })
      .then(
        (value) => settle(() => (failure ? reject(failure) : resolve(value))),
        (error) => settle(() => reject(failure ?? error)),
      )
  })
}

function seconds(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds} ms` : `${milliseconds / 1_000} s`
}
