import { type Eventually, HookFailure, isThenable, now } from '../core/index.ts'

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
 * One deadline over everything a hook does. At the deadline, or when the dispatch is cancelled, the work is
 * stopped; it may settle within a bound, and is abandoned after it. What it answers then no longer counts. Work that is
 * done at once needs no timer.
 */
export function withDeadline<T>(limits: Limits, work: (clock: Clock) => Eventually<T>): Eventually<T> {
  const deadline = new Deadline(limits)
  const begun = work(deadline)
  if (isThenable<T>(begun)) return bounded(begun, deadline, limits)
  if (limits.cancel?.aborted) throw cancelled()
  return begun
}

export const cancelled = () => new HookFailure('aborted', 'the dispatch was cancelled')

class Deadline implements Clock {
  readonly #limits: Limits
  readonly #end: number
  #controller: AbortController | undefined
  #failure: HookFailure | undefined

  constructor(limits: Limits) {
    this.#limits = limits
    this.#end = now() + limits.timeoutMs
  }

  /** Why it was stopped. */
  get failure(): HookFailure | undefined {
    return this.#failure
  }

  /** Made when somebody looks: most hooks in this process never do, and it costs more than the rest of the gate. */
  signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.aborted()) this.#controller.abort(this.#failure ?? cancelled())
    return this.#controller.signal
  }

  aborted(): boolean {
    return this.#failure !== undefined || this.#limits.cancel?.aborted === true
  }

  remainingMs(): number {
    return Math.max(0, this.#end - now())
  }

  stop(reason: HookFailure): void {
    this.#failure = reason
    this.#controller?.abort(reason)
  }
}

function bounded<T>(begun: Promise<T>, deadline: Deadline, limits: Limits): Promise<T> {
  const { cancel, timeoutMs, settleMs = defaultSettleMs, late } = limits
  return new Promise<T>((resolve, reject) => {
    let settled = false
    let abandon: ReturnType<typeof setTimeout> | undefined

    const settle = (act: () => void) => {
      if (settled) return late()
      settled = true
      clearTimeout(timer)
      clearTimeout(abandon)
      cancel?.removeEventListener('abort', stopped)
      act()
    }
    const stop = (reason: HookFailure) => {
      if (deadline.failure) return
      deadline.stop(reason)
      abandon = setTimeout(() => settle(() => reject(reason)), settleMs)
    }
    const stopped = () => stop(cancelled())
    const timer = setTimeout(() => {
      stop(
        new HookFailure(
          'time-out',
          `no answer within ${seconds(timeoutMs)}`,
          'Raise `timeout`, or make the hook faster.',
        ),
      )
    }, Math.ceil(deadline.remainingMs()))

    if (cancel?.aborted) stopped()
    cancel?.addEventListener('abort', stopped, { once: true })
    begun.then(
      (value) => settle(() => (deadline.failure ? reject(deadline.failure) : resolve(value))),
      (error) => settle(() => reject(deadline.failure ?? error)),
    )
  })
}

function seconds(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds} ms` : `${milliseconds / 1_000} s`
}

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
