import type { Outcome } from '../../core/index.ts'
import type { Entry, HookEntry } from '../../journal/index.ts'

/** What happened to one hook, over many dispatches. Takes the same memory whether it ran once or a million times. */
export interface Tally {
  hook: string
  asked: number
  /** What it answered, failures apart. */
  answers: Record<Exclude<Outcome, 'failure'>, number>
  /** It rewrote, gave context, or wrote to the user. */
  rewrites: number
  contexts: number
  /** It failed. `failOpen` counts the failures after which the event went on unguarded. */
  failures: number
  failOpen: number
  /** It did not run, because nobody has approved it as it is. */
  untrusted: number
  shadow: number
  durations: Histogram
  activity: number[]
  lastAsked: string
  lastFailure?: { time: string; kind: string; detail: string }
}

export interface Span {
  from: number
  to: number
}

export const activityCells = 24

export function makeTally(hook: string): Tally {
  const answers = { allow: 0, ask: 0, deny: 0, halt: 0, 'no-opinion': 0 }
  const counts = { asked: 0, rewrites: 0, contexts: 0, failures: 0, failOpen: 0, untrusted: 0, shadow: 0 }
  const activity = new Array<number>(activityCells).fill(0)
  return { hook, ...counts, answers, durations: makeHistogram(), activity, lastAsked: '' }
}

export function count(tally: Tally, { time }: Entry, hook: HookEntry, span: Span): void {
  // An earlier entry has counted that it ran.
  if (!isReportedLater(hook)) {
    tally.asked++
    tally.activity[cellOf(time, span)]!++
  }
  tally.lastAsked = time
  if (hook.shadow) tally.shadow++
  if (hook.duration_ms !== undefined) tally.durations.add(hook.duration_ms)
  if (hook.opinion?.rewrite) tally.rewrites++
  if (hook.opinion?.context) tally.contexts++
  if (!hook.failure) {
    if (hook.outcome !== undefined && hook.outcome !== 'failure') tally.answers[hook.outcome]++
    return
  }
  const { kind, detail } = hook.failure
  tally.lastFailure = { time, kind, detail }
  if (kind === 'untrusted') tally.untrusted++
  else tally.failures++
  if (isIgnored(hook)) tally.failOpen++
}

/** A background hook's failure has an entry of its own, after that of the dispatch. */
export const isReportedLater = ({ background, failure }: HookEntry): boolean =>
  background === true && failure !== undefined

/** A failure that stops nothing. That of a shadow or background hook could not. */
export function isIgnored({ failure, opinion, shadow, background }: HookEntry): boolean {
  if (!failure || shadow || background) return false
  return opinion?.halt === undefined && opinion?.decision?.ruling !== 'deny'
}

function cellOf(time: string, { from, to }: Span): number {
  const part = (Date.parse(time) - from) / Math.max(1, to - from)
  return Math.min(activityCells - 1, Math.max(0, Math.floor(part * activityCells) || 0))
}

/** Durations in steps of about 4 %: percentiles of any number of them in a few hundred counters. */
export interface Histogram {
  add(ms: number): void
  /** The duration that this share of them does not exceed; undefined when there are none. */
  at(share: number): number | undefined
}

const stepsPerDoubling = 16
const smallestMs = 0.001

export function makeHistogram(): Histogram {
  const counts: number[] = []
  let total = 0
  return {
    add(ms) {
      const step = Math.max(0, Math.round(Math.log2(Math.max(ms, smallestMs) / smallestMs) * stepsPerDoubling))
      counts[step] = (counts[step] ?? 0) + 1
      total++
    },
    at(share) {
      if (total === 0) return undefined
      let seen = 0
      for (let step = 0; step < counts.length; step++) {
        seen += counts[step] ?? 0
        if (seen >= share * total) return smallestMs * 2 ** (step / stepsPerDoubling)
      }
      return undefined
    },
  }
}
