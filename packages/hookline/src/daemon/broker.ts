import type { Layer } from '../core/index.ts'

/** A question that a hook or a rule asks where its host cannot. */
export interface Question {
  /** Who asks and where: the host as `hookline hosts` names it, its session, the directory in which it works. */
  host: string
  session?: string
  cwd: string
  /** What would happen: the command, or the tool with what matters of its input. One line for people. */
  what: string
  /** Why it is asked, in the words of the rule or hook. */
  reason: string
  /** What asks, as reports name it. */
  hooks: readonly string[]
  /** The call itself, in our words: what an answer for longer is about. It may hold secrets, and is never shown as it is. */
  call: { tool: string; input: Readonly<Record<string, unknown>>; parts: number }
  /** The layers that ask: a rule that answers for always stands in the strongest of them, or above. */
  layers: readonly Layer[]
  /** What else helps to decide, in words. */
  details?: Readonly<Record<string, string>>
}

/** One that waits, as `pending` shows it. */
export interface PendingQuestion extends Question {
  /** Short, typed by people; of one daemon, never used twice. */
  id: string
  /** ISO times. Whoever answers after `expires` is too late. */
  asked: string
  expires: string
}

/** `session`: also for the same call in the rest of the session. `always`: also a rule, written by whoever answers. */
export const answerWords = ['yes', 'session', 'always', 'no'] as const
export interface GivenAnswer {
  answer: (typeof answerWords)[number]
  /** What the agent is told with a no. */
  because?: string
  /** Who answers, for the journal. */
  by?: string
}

/** What became of an answer. `late`: nobody answered in time; `answered`: somebody did before; `unknown`: there is no such question. */
export type AnswerResult =
  | { ok: true; question: PendingQuestion }
  | { ok: false; reason: 'unknown' | 'late' | 'answered' }

/**
 * The questions that wait in the daemon. The daemon has one for its whole life, hands it to whatever judges calls, and
 * reaches it for clients over the protocol (`pending`, `answer`, `subscribe`).
 *
 * Contract:
 * - `ask` resolves with the answer, or with undefined when nobody answers within `forMs`, when nobody is attached (at
 *   once, or as soon as the last one leaves), when `signal` aborts, or when the daemon closes. It never rejects: undefined
 *   is what the caller makes the declared fallback of.
 * - `answer` resolves exactly one question, once; a second answer is `answered`.
 * - That an answer comes from a person is proved by the command that sends it, before it sends it; the daemon takes none
 *   from a process under an agent or without a terminal.
 * - `attach` says that somebody is there to answer until the function it gives back is called.
 * - `onChange` listeners get every question that comes and goes, in order; the function it gives back removes them.
 */
export interface QuestionBroker {
  ask(question: Question, options: { forMs: number; signal?: AbortSignal }): Promise<GivenAnswer | undefined>
  answer(id: string, given: GivenAnswer): AnswerResult
  readonly pending: readonly PendingQuestion[]
  readonly attended: boolean
  attach(): () => void
  onChange(listener: (change: QuestionChange) => void): () => void
  close(): void
}

export type QuestionChange =
  | { kind: 'asked'; question: PendingQuestion }
  /** `answer` absent: nobody answered in time. */
  | { kind: 'settled'; question: PendingQuestion; answer?: GivenAnswer }
