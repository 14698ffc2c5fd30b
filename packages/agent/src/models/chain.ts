import { setTimeout as wait } from 'node:timers/promises'
import { type Model, ModelError, type ModelErrorKind, type ModelPart, type ModelRequest } from '../model.ts'

export interface CallOptions {
  signal: AbortSignal
  /** How often one model is asked again before the next is tried. */
  retries?: number
  /** The next model takes over. */
  onFallback?(change: { primary: string; fallback: string } & Setback): void | Promise<void>
  /** The same model is asked again, after this long. */
  onRetry?(retry: { model: string; attempt: number; delayMs: number } & Setback): void | Promise<void>
  sleep?(ms: number, signal: AbortSignal): Promise<unknown>
}

export interface Setback {
  error: ModelError
  /** Parts had come already and the answer begins anew: forget them, and tell whoever has seen them. */
  restarts: boolean
}

/** The parts of one answer; `model` is the one that gives it. */
export interface ModelCall extends AsyncIterable<ModelPart> {
  readonly model: Model
}

const defaultRetries = 2

/**
 * Asks the first model, again after what may pass, then the others in their order. A stream that breaks off is begun
 * anew, by the same rules: what came before is told to be forgotten, never joined to what comes then. Throws the last
 * `ModelError`; ends quietly when the signal says so.
 */
export function callModel(models: readonly Model[], request: ModelRequest, options: CallOptions): ModelCall {
  let model = models[0]!
  return {
    get model() {
      return model
    },
    async *[Symbol.asyncIterator]() {
      const { signal, retries = defaultRetries, sleep = pause, onFallback, onRetry } = options
      let attempt = 0
      for (let index = 0; ; ) {
        let restarts = false
        try {
          for await (const part of model.stream(request, signal)) {
            restarts = true
            yield part
            if (part.type === 'finish') return
          }
          if (signal.aborted) return
          throw new ModelError('unavailable', `${model.id} broke off before the end of its answer.`)
        } catch (error) {
          if (signal.aborted) return
          if (!(error instanceof ModelError)) throw error
          const next = models[index + 1]
          const delayMs = attempt < retries ? patience(error, attempt, next !== undefined) : undefined
          if (delayMs !== undefined) {
            attempt++
            await onRetry?.({ model: model.id, attempt, delayMs, error, restarts })
            await sleep(delayMs, signal)
          } else {
            if (!next || !others[error.kind]) throw error
            await onFallback?.({ primary: model.id, fallback: next.id, error, restarts })
            model = next
            attempt = 0
            index++
          }
          if (signal.aborted) return
        }
      }
    },
  }
}

/** Whether another model may do better. What is too long for one is made shorter instead. */
const others: Record<ModelErrorKind, boolean> = {
  overflow: false,
  'rate-limit': true,
  unavailable: true,
  refused: true,
  auth: true,
  invalid: true,
}

const longestWaitMs = 60_000

/** How long to wait before the same model is asked again; undefined: it is not. */
function patience({ kind, retryAfterMs }: ModelError, attempt: number, hasNext: boolean): number | undefined {
  // Told to slow down: the next model is free now, and only without one is it waited for.
  if (kind !== 'unavailable' && (kind !== 'rate-limit' || hasNext)) return undefined
  const delayMs = retryAfterMs ?? (kind === 'rate-limit' ? 4 : 1) * backOff(attempt)
  return delayMs <= longestWaitMs ? delayMs : undefined
}

const backOff = (attempt: number) => Math.min(500 * 2 ** attempt, 8_000)

/** Ends early when the signal says so, and never throws. */
const pause = (ms: number, signal: AbortSignal) => wait(ms, undefined, { signal }).catch(() => {})
