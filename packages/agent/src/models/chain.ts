import { setTimeout as wait } from 'node:timers/promises'
import {
  type Message,
  type Model,
  ModelError,
  type ModelErrorKind,
  type ModelPart,
  type ModelRequest,
} from '../core/index.ts'

export interface CallOptions {
  signal: AbortSignal
  /** How often one model call is retried before the next model is tried. */
  retries?: number
  /** The next model takes over. */
  onFallback?(change: { primary: string; fallback: string } & Setback): void | Promise<void>
  /** The same model is called again after this delay. */
  onRetry?(retry: { model: string; attempt: number; delayMs: number } & Setback): void | Promise<void>
  sleep?(ms: number, signal: AbortSignal): Promise<unknown>
}

export interface Setback {
  error: ModelError
  /** Parts had already arrived and the answer restarts: discard them, and warn those who have seen them. */
  restarts: boolean
}

/** The parts of one answer; `model` is the one that gives it. */
export interface ModelCall extends AsyncIterable<ModelPart> {
  readonly model: Model
}

const defaultRetries = 2

/**
 * Calls the first model, retries what may pass, then falls back to the others in order. A stream that breaks off
 * restarts under the same rules; earlier parts are discarded, never joined to the new ones. Throws the last
 * `ModelError`; ends without an error when the signal aborts.
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

/** The delay before the same model is called again; undefined: no retry. */
function patience(error: ModelError, attempt: number, hasNext: boolean): number | undefined {
  const { kind, retryAfterMs, timedOut } = error
  // Silence has cost its time-out already: the next model gets its turn, or the same one a last one.
  if (timedOut && (hasNext || attempt > 0)) return undefined
  // Rate limited: the next model is free now, so wait only if there is none.
  if (kind !== 'unavailable' && (kind !== 'rate-limit' || hasNext)) return undefined
  const delayMs = retryAfterMs ?? (kind === 'rate-limit' ? 4 : 1) * backOff(attempt)
  return delayMs <= longestWaitMs ? delayMs : undefined
}

const backOff = (attempt: number) => Math.min(500 * 2 ** attempt, 8_000)

/** Ends early when the signal aborts, and never throws. */
const pause = (ms: number, signal: AbortSignal) => wait(ms, undefined, { signal }).catch(() => {})

export interface Route {
  model: Model
  /** What users say who should get this model. */
  examples: readonly string[]
}

/**
 * A model that passes each question to the one whose examples are nearest to the user's last message, by the words they
 * share (BM25); if none is near, it answers itself. docker-agent's `routing`.
 */
export function routed(model: Model, routes: readonly Route[]): Model {
  const nearest = indexOf(routes.map(({ examples }) => examples))
  const route = (messages: readonly Message[]): Model => {
    const question = messages.findLast(({ role }) => role === 'user')?.content ?? ''
    const at = nearest(question)
    return at === undefined ? model : routes[at]!.model
  }
  const limits = [model, ...routes.map((each) => each.model)].map(({ contextLimit }) => contextLimit)
  return {
    id: model.id,
    contextLimit: limits.includes(0) ? 0 : Math.min(...limits),
    ...(model.endpoint ? { endpoint: model.endpoint } : {}),
    route,
    stream: (request, signal) => route(request.messages).stream(request, signal),
  }
}

// The usual parameters of BM25: how soon a repeated word stops counting, and how much long texts are discounted.
const [saturation, length] = [1.2, 0.75]

/** Which group holds the text nearest to a question; undefined when they share no significant word. */
function indexOf(groups: readonly (readonly string[])[]): (question: string) => number | undefined {
  const texts = groups.flatMap((examples, group) => examples.map((text) => ({ group, words: wordsOf(text) })))
  const average = texts.reduce((sum, { words }) => sum + words.length, 0) / texts.length || 1
  const rarity = (word: string): number => {
    const holding = texts.filter(({ words }) => words.includes(word)).length
    return Math.log(1 + (texts.length - holding + 0.5) / (holding + 0.5))
  }
  return (question) => {
    const asked = [...new Set(wordsOf(question))]
    const scores = texts.map(({ words }) =>
      asked.reduce((sum, word) => {
        const times = words.filter((each) => each === word).length
        const weight = saturation * (1 - length + (length * words.length) / average)
        return times === 0 ? sum : sum + (rarity(word) * times * (saturation + 1)) / (times + weight)
      }, 0),
    )
    const best = Math.max(0, ...scores)
    return best === 0 ? undefined : texts[scores.indexOf(best)]!.group
  }
}

/** Words that stand in every question say nothing of it. */
const common = new Set(
  'a an and are as at be by can could do does for from how i in is it me my of on or please should that the there this to was what when where which who why will with would you your'.split(
    ' ',
  ),
)

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !common.has(word))
