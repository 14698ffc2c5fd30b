import type { AnswerResult, GivenAnswer, PendingQuestion } from './broker.ts'

/**
 * What Node programs say to the daemon, as JSON in frames of kind `message`: each request has a number, and its response
 * has the same. A connection that has subscribed gets notices too, which have none.
 */
export interface Requests {
  status: { asks: Record<never, never>; gets: DaemonStatus }
  /** Notices follow on this connection. `attached`: whoever subscribes can answer questions, while it stays connected. */
  subscribe: { asks: { attached: boolean }; gets: { pending: readonly PendingQuestion[] } }
  pending: { asks: Record<never, never>; gets: { pending: readonly PendingQuestion[]; attended: boolean } }
  /** `pid`: who answers, which has to show it (hand.ts), and be no agent. */
  answer: { asks: { question: string; given: GivenAnswer; pid: number }; gets: AnswerResult }
  /** Everything is read anew by the next calls. Needed by nobody but the doubtful: each call notices what has changed. `pid` as in `answer`. */
  reload: { asks: { pid: number }; gets: { projects: number } }
  /** Takes no new calls, ends those that run, and exits. `pid` as in `answer`. */
  stop: { asks: { pid: number }; gets: { calls: number } }
}
export type RequestName = keyof Requests

export interface DaemonStatus {
  pid: number
  engine: string
  version: string
  protocol: number
  /** ISO time. */
  since: string
  idleMs: number
  rssBytes: number
  calls: { served: number; declined: number; failed: number; running: number }
  projects: readonly { cwd: string; hooks: number; calls: number }[]
  pending: number
  attended: boolean
}

export type Request = { [N in RequestName]: { number: number; do: N } & Requests[N]['asks'] }[RequestName]
export type Response = { number: number } & ({ ok: true; value: unknown } | { ok: false; detail: string })

/** What subscribers get. */
export type Notice =
  | { notice: 'asked'; question: PendingQuestion }
  | { notice: 'settled'; question: PendingQuestion; answer?: GivenAnswer }
  | { notice: 'called'; call: ServedCall }

/** One call that was answered; what was decided and why is in the journal. */
export interface ServedCall {
  time: string
  host: string
  event: string
  cwd: string
  ms: number
  exit: number
}
