import type { EffectName, Opinion } from './effects.ts'
import type { Note } from './errors.ts'
import type { EventName, Payload } from './events.ts'

export const failureKinds = [
  'time-out',
  'spawn',
  'signal',
  'exit',
  'output-limit',
  'invalid-output',
  'http',
  'ssrf',
  'untrusted',
  'broken-config',
  'aborted',
  'internal',
] as const
export type FailureKind = (typeof failureKinds)[number]

/** How a hook failed. Never confused with an answer: a failing guard is not a user who refused. */
export interface Failure {
  kind: FailureKind
  detail: string
  remedy?: string
}

/** Thrown by executors for failures they can name; anything else they throw is `internal`. */
export class HookFailure extends Error {
  override name = 'HookFailure'
  readonly kind: FailureKind
  readonly remedy: string | undefined
  constructor(kind: FailureKind, detail: string, remedy?: string) {
    super(detail)
    this.kind = kind
    this.remedy = remedy
  }
}

export type Outcome = 'no-opinion' | 'allow' | 'ask' | 'deny' | 'halt' | 'failure'

export const skipReasons = {
  disabled: 'it is disabled',
  matcher: 'its matcher did not match',
  duplicate: 'an identical hook runs already',
  ruled: 'a permission rule has decided already',
  'sub-agent': 'its system does not run it for sub-agents',
  failed: 'the tool failed, and its system has another event for that',
  decided: 'an earlier stage has decided already',
  recursion: 'too many hooks deep',
  cancelled: 'the dispatch was cancelled',
} as const
export type SkipReason = keyof typeof skipReasons

/** What became of one hook in one dispatch. */
export interface Report {
  hook: string
  stage: number
  asked: boolean
  /** Why it did not run. */
  skipped?: { reason: SkipReason; detail: string }
  outcome?: Outcome
  failure?: Failure
  /** What counts of its answer, over all its runs; for a shadow hook, what would have counted. */
  opinion?: Opinion
  shadow?: true
  background?: true
  /** It ran without a check of its approval, because whoever started the run trusts all hooks (`--trust all`). */
  unchecked?: true
  durationMs?: number
  /** How often it ran, when more than once: others rewrote what it had judged. */
  times?: number
  /** The rules that matched, by id, where the hook is made of rules: those that decided first. */
  rules?: readonly string[]
  /** Those of them that decided, where others matched beside them. */
  decidedBy?: readonly string[]
  /** What the call would do, in words: `run git push`, `read ./.env`. */
  actions?: readonly string[]
  exit?: number
  bytes?: { stdin: number; stdout: number; stderr: number }
}

/** The combined opinion of all hooks, plus reports in config order and notes. */
export interface Verdict<E extends EventName = EventName> extends Opinion {
  event: E
  /** The payload after all rewrites. */
  payload: Readonly<Payload<E>>
  reports: readonly Report[]
  notes: readonly Note[]
}

/** In words, for tables and journals: what this opinion amounts to. */
export function outcomeOf(opinion: Opinion): Outcome {
  if (opinion.halt) return 'halt'
  return opinion.decision?.ruling ?? 'no-opinion'
}

export const effectsOf = (opinion: Opinion): EffectName[] =>
  (Object.keys(opinion) as EffectName[]).filter((name) => opinion[name] !== undefined)
