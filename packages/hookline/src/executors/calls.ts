import { type Call, type DirectReply, type Eventually, HookFailure, isThenable, readOpinion } from '../core/index.ts'

/**
 * Gives work a signal that aborts with its call and at close. Listeners of our own, since AbortSignal.any() would keep
 * something of every call for as long as the executor lives.
 */
export interface OpenCalls {
  during<T>(outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** The same for work that calls `end` when it is over. */
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

/** Asks code that runs in our own process. Whatever it does, one named answer comes back, and exactly once. */
export interface InProcess {
  ask(who: string, work: () => unknown, call: Pick<Call, 'signal' | 'aborted'>): Eventually<DirectReply>
  /** Ends every call that has not settled yet. */
  close(): void
}

export function inProcess(): InProcess {
  const waiting = new Set<(failure: HookFailure) => void>()
  return {
    ask(who, work, call) {
      if (call.aborted) throw aborted()
      try {
        const answer = work()
        if (!isThenable(answer)) return replyOf(who, answer)
        return until(answer, call.signal, waiting).then(
          (value) => replyOf(who, value),
          (error: unknown) => {
            throw asFailure(who, error)
          },
        )
      } catch (error) {
        throw asFailure(who, error)
      }
    },
    close() {
      for (const end of waiting) end(new HookFailure('aborted', 'the hooks were closed'))
      waiting.clear()
    },
  }
}

function replyOf(who: string, answer: unknown): DirectReply {
  const read = readOpinion(answer)
  if (read.ok) return { kind: 'opinion', opinion: read.opinion }
  throw new HookFailure('invalid-output', `${who} answered something else than an opinion: ${read.detail}`)
}

/** Settles with the thenable, or when the signal aborts or `waiting` is ended. What comes later is ignored. */
function until(
  thenable: PromiseLike<unknown>,
  signal: AbortSignal,
  waiting: Set<(failure: HookFailure) => void>,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const end = (failure: HookFailure): void => done(() => reject(failure))
    const onAbort = (): void => end(aborted())
    const done = (report: () => void): void => {
      signal.removeEventListener('abort', onAbort)
      waiting.delete(end)
      report()
    }
    waiting.add(end)
    signal.addEventListener('abort', onAbort)
    Promise.resolve(thenable).then(
      (value) => done(() => resolve(value)),
      (error) => done(() => reject(error)),
    )
  })
}

const aborted = () => new HookFailure('aborted', 'the call was cancelled before the hook had answered')

function asFailure(who: string, error: unknown): HookFailure {
  if (isHookFailure(error)) return error
  return new HookFailure('internal', `${who} threw ${describeThrown(error)}`)
}

function isHookFailure(error: unknown): error is HookFailure {
  try {
    return error instanceof HookFailure
  } catch {
    return false
  }
}

/** Anything can be thrown, also things that throw when they are looked at. */
export function describeThrown(error: unknown): string {
  try {
    if (error instanceof Error) return error.message === '' ? error.name : `${error.name}: ${error.message}`
    return String(error)
  } catch {
    return 'something that cannot be shown'
  }
}
