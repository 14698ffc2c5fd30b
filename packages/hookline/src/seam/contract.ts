import type {
  Audience,
  CommonFields,
  EventName,
  Eventually,
  Note,
  Outcome,
  Payload,
  Report,
  Ruling,
  StateStore,
  Verdict,
} from '../core/index.ts'

/** Raises an event: `hooks.raise`, or a function around it that adds what it knows. All that the seam needs of anybody. */
export type Raise = <E extends EventName>(
  event: E,
  payload: Payload<E>,
  options?: { signal?: AbortSignal; audience?: Audience },
) => Promise<Verdict<E>>

/** One tool call, in the words of payloads. Without a `tool_use_id` it gets one, so that its events belong together. */
export interface GuardedCall<I extends object = Record<string, unknown>> extends CommonFields {
  tool_name: string
  tool_input: I
  tool_use_id?: string | undefined
  tool_category?: string | undefined
}

/** What `execute` gets beside the final input. */
export interface Execution {
  signal: AbortSignal
  /** Adds what the model should know of what happened inside the call; it comes back in `context`, in its place. */
  addContext(...texts: readonly string[]): void
}

export type Execute<I, O> = (input: I, execution: Execution) => Eventually<O>

/** What rules of the host say of a call. */
export interface HostRuling {
  /** Absent: no rule decides. */
  ruling?: Ruling | undefined
  /** Which of them, for `on_tool_approval_decision`. Default: `host_rule`. */
  source?: string | undefined
  reason?: string | undefined
  /** No rule, but how the host reads the call: hooks that do not take the host's word for it still decide. */
  inferred?: boolean | undefined
}

/** A question to the person. */
export interface ApprovalQuestion<I> {
  tool_name: string
  tool_use_id: string
  /** The input that would run. */
  input: I
  /** Why the person is asked. */
  reason: string
  /** What hooks noted about the call, such as its `blast_radius`. */
  metadata: Readonly<Record<string, string>>
  /** A hook or a guard asks: no rule and no earlier approval answers for the person. */
  onlyPerson: boolean
}

/** The person's answer. `source`: who gave it, when not simply the person, such as `user_approved_session`. */
export type ApprovalAnswer = boolean | { approved: boolean; reason?: string | undefined; source?: string }

/** The person wants another input: the call is judged anew with it, and is asked about again where it still is undecided. */
export interface EditedInput {
  input: Record<string, unknown>
}

export interface GuardOptions<I extends object, O, F = Rewritable<O>> {
  /** Stops the line, and the tool. What has started still gets its closing events. */
  signal?: AbortSignal
  /** Asks the person. Without it, or when it gives undefined, there is nobody to ask: the call is refused, with that reason. */
  ask?(question: ApprovalQuestion<I>, signal: AbortSignal): Eventually<ApprovalAnswer | EditedInput | undefined>
  /** The host's own permission rules. They see the input that would run, and again what hooks made of it. */
  rules?(input: I): Eventually<HostRuling | undefined>
  /** What happens to a call that neither hooks nor rules decide: it runs, or the person is asked. Default: `run`. */
  undecided?: 'run' | 'ask'
  /** Reads an input that hooks rewrote; throws when the tool does not take it, and the call is refused. Default: it is taken as it is. */
  parseInput?(input: Record<string, unknown>): Eventually<I>
  /** Reads an output that hooks rewrote; throws when it is none, and the output is withheld. */
  parseOutput?(output: unknown): Eventually<F>
  /** Whether this output means that the tool failed. Default: a tool fails when it throws. */
  isError?(output: O): boolean
  /** What was thrown, in words for the model and for hooks. Default: its message. */
  describeError?(thrown: unknown): string
  /** How long a tool may take to stop after the signal, in milliseconds; then the line goes on without it. Default: 3000. */
  stopMs?: number
  /** Called when the call is decided, before it runs. */
  onDecision?(decision: ApprovalDecision): void
}

export interface JudgeOptions<I extends object>
  extends Pick<GuardOptions<I, never>, 'signal' | 'rules' | 'undecided' | 'parseInput' | 'onDecision'> {
  /** Without it, or when it gives undefined, the call waits for an answer: `asks`. */
  ask?(question: ApprovalQuestion<I>, signal: AbortSignal): Eventually<ApprovalAnswer | undefined>
  /** The token of a question that was kept, with what the person said; a bare token means yes. */
  approval?: string | KeptAnswer | undefined
}

/** The answer to a question that was kept. */
export interface KeptAnswer {
  token: string
  approved: boolean
  reason?: string | undefined
}

/** A call that hooks have judged and that has not run. */
export interface JudgedTool<I extends object> {
  readonly id: string
  readonly outcome: 'allowed' | 'asks' | 'refused' | 'halted'
  /** The final input. */
  readonly input: I
  /** Whether that is another one than the caller's. */
  readonly rewritten: boolean
  /** Why it is asked about, refused or halted. */
  readonly reason: string
  readonly source: string
  /** Texts for the model. */
  readonly context: readonly string[]
  readonly question?: ApprovalQuestion<I>
  /**
   * Keeps the question, so that the answer may come in another request and another process. Gives back the token of the
   * answer: good once, for this tool, this input and the rules of now. `token`: an id of your own that nobody can guess,
   * or that cannot come back but from a person.
   */
  keep(token?: string): Promise<string>
  /** What the person said to the question that was kept under this token. It is used up, and counts only if it fits. */
  take(kept: KeptAnswer): Promise<JudgedTool<I>>
  /** What the person says. */
  answer(answer: ApprovalAnswer): Promise<JudgedTool<I>>
  /** Runs it if it is allowed, and gives back what is final. What nobody has answered is refused. */
  run<O, F = Rewritable<O>>(execute: Execute<I, O>, options?: RunOptions<I, O, F>): Promise<ToolOutcome<I, F>>
}

export type RunOptions<I extends object, O, F> = Pick<
  GuardOptions<I, O, F>,
  'signal' | 'parseOutput' | 'isError' | 'describeError' | 'stopMs'
>

/** What a line needs beside `raise`, where an answer may come later. */
export interface Seam {
  raise: Raise
  /** Where questions are kept. */
  state: StateStore
  /** A digest of the hooks and rules that count now. */
  policy(): Eventually<string>
}

export interface ApprovalDecision {
  decision: 'allow' | 'deny' | 'canceled'
  /** Which step decided, in docker-agent's words, such as `pre_tool_use_hook_deny` or `user_approved`. */
  source: string
  /** Empty when it was allowed. */
  reason: string
}

export type Json = string | number | boolean | bigint | null | readonly Json[] | { readonly [key: string]: Json }

/** What an output may be once hooks have seen it: text stays text, and of anything else they may make any JSON. */
export type Rewritable<O> = unknown extends O ? unknown : [O] extends [string] ? string : O | Json

interface Told<I> {
  /** The final input: what ran, or would have. */
  input: I
  /** Why it was refused or halted; empty when it ran. */
  reason: string
  /** Which step decided, in docker-agent's words. */
  source: string
  /** Texts for the model. */
  context: readonly string[]
  /** Texts for the user, each once. */
  messages: readonly string[]
  /** What hooks noted about the call. */
  metadata: Readonly<Record<string, string>>
  /** What became of every event of the line, in order. */
  steps: readonly Step[]
}

/** One event of the line. Without its payload and what hooks wrote: later hooks may have redacted that. */
export interface Step {
  event: EventName
  outcome: Outcome
  reports: readonly Omit<Report, 'opinion'>[]
  notes: readonly Note[]
}

/** It ran, and `output` is what the model may read. */
export interface Ran<I, F> extends Told<I> {
  outcome: 'ran'
  error: false
  output: F
}

/** It ran and failed, or its output is withheld; `output` says why. */
export interface RanWithError<I, F> extends Told<I> {
  outcome: 'ran'
  error: true
  output: F | string
  /** What the tool threw, as it was. For the program's own control flow: no hook has redacted it. */
  thrown?: unknown
}

/** It did not run; the model reads `reason`. */
export interface Refused<I> extends Told<I> {
  outcome: 'refused'
  /** The signal aborted before it was decided. */
  canceled: boolean
  output: undefined
}

/** A hook ends the run; the user reads `reason`. */
export interface Halted<I, F> extends Told<I> {
  outcome: 'halted'
  /** Whether the tool ran before; then `output` is what the model may read, and `error` says whether it failed. */
  ran: boolean
  error: boolean
  /** Calls beside this one may finish first. */
  afterBatch: boolean
  output: F | string | undefined
  thrown?: unknown
}

export type ToolOutcome<I, F> = Ran<I, F> | RanWithError<I, F> | Refused<I> | Halted<I, F>
