import type { Opinion } from './effects.ts'
import type { Note } from './errors.ts'
import type { Event, EventName } from './events.ts'
import type { Hook } from './hook.ts'
import type { Pin } from './pin.ts'
import type { StandardSchema } from './standard-schema.ts'
import type { Eventually } from './timing.ts'
import type { ToolRow } from './tools.ts'

/** What a dialect makes of an event for one hook: a body for stdin or HTTP, and short scalars for the environment. */
export interface WireRequest {
  /** JSON text, without a trailing newline. */
  body: string
  env: Readonly<Record<string, string>>
  /** Names of the variables in which an in-process shell finds the body itself and the path of a file that holds it. */
  payloadVariables: { json: string; path: string }
  /** The system gives its hooks nothing to read on stdin: an in-process shell finds the body in its variables only. */
  emptyStdin?: true
}

/** What came back over the wire, not understood yet. HTTP success is exit 0 with the body on stdout. */
export interface WireReply {
  kind: 'wire'
  exit: number
  stdout: string
  stderr: string
  /** The hook goes on after this reply, and nobody waits for it: what it still does and prints does not count. */
  goesOn?: {
    ended: Promise<unknown>
    stop(): void
    /** Gives the process away: from now on it is somebody else's to watch and to end. Absent: it ends with this one. */
    handOver?(): Omit<LeftProcess, 'forMs'>
  }
}

/** A process that goes on, for whoever watches it from now on. */
export interface LeftProcess {
  /** The process that leads its group. */
  leader: number
  /** What it prints comes out of these; somebody must hold them while it lives. */
  outputs: readonly unknown[]
  /** How long it may still run. */
  forMs: number
}

/** An answer that needs no reading: in-process executors give it. */
export interface DirectReply {
  kind: 'opinion'
  opinion: Opinion | undefined
  /** The rules that matched, by id: those that decided first. For the report and the journal. */
  rules?: readonly string[]
  /** Those of them that decided, where others matched beside them. */
  decidedBy?: readonly string[]
  /** What the call would do, in words. */
  actions?: readonly string[]
}

export interface Call {
  hook: Hook
  event: Event
  /** The event in the words of the hook's system; absent: as it is. */
  readonly view?: Event
  /** What the hook's system writes in the place of a secret; absent: our marker. */
  readonly redaction?: string | undefined
  /** Built on first use: in-process executors never pay for it. */
  request(): WireRequest
  /** What a tool does: one of ours, or one that a config or the program has declared. */
  toolRow?(name: string): ToolRow | undefined
  /** Aborted at the deadline or when the dispatch is cancelled. The executor then stops its work and settles. */
  readonly signal: AbortSignal
  /** Whether it is aborted already. Cheaper to ask than the signal, which is made when somebody looks. */
  readonly aborted: boolean
  /** Milliseconds from now to the deadline, for executors that must tell someone else. */
  remainingMs(): number
  /** Nobody has approved the hook, and only its tightening part runs: it must not share what others remember. */
  readonly unapproved?: boolean
  /** Bytes of stdout and stderr together; more is the failure `output-limit`. Absent: the executor's own default. */
  outputLimit?: number
  /** Whether a hook that begins its output with this line goes on alone. Absent: no hook of its system does. */
  readonly goesOnAlone?: ((firstLine: string) => boolean) | undefined
  /** Say something that belongs in the report although the hook works. */
  note(note: Note): void
  /** Count what crossed the wire, for the report. */
  measure(bytes: { stdin?: number; stdout?: number; stderr?: number }): void
}

/** Proof that a guard is live: a payload, and what its answer must hold at least. */
export interface Canary {
  title: string
  /** What must have happened first, in the same session. */
  before?: readonly { event: EventName; payload: Readonly<Record<string, unknown>> }[]
  payload: Readonly<Record<string, unknown>>
  expect: Partial<Opinion>
}

/**
 * One way to run a hook. It may throw, hang or flood: the gate times, bounds and catches it, and it must not time
 * itself. It throws HookFailure for failures it can name.
 */
export interface Executor<S = unknown> {
  type: string
  doc: string
  spec: StandardSchema<S>
  /**
   * Which bytes this spec runs that its definition does not hold; none, when it runs nothing but what it says. An
   * approval covers them: when one changes, the hook must be approved again. A type that does not say cannot be approved.
   */
  pins(spec: S): readonly Pin[]
  /**
   * Which changes to the spec make the part of this hook that may run from a project that nobody has approved: it runs no
   * foreign bytes, sends nothing, writes nothing outside our own directories, loosens nothing and adds nothing for the
   * model. An empty object: the whole hook. Undefined, or no such method: nothing of it may run. Pure.
   */
  withoutApproval?(spec: S, hook: Hook): Record<string, unknown> | undefined
  /**
   * Whether the reasons of that part are in our words and hold no text of the project. Absent: they may, so the person
   * reads them and the model reads a fixed sentence.
   */
  ownWords?(spec: S, hook: Hook): boolean
  /** Problems of this spec on this hook that a schema cannot find; reported when hooks are loaded, not when they run. */
  check?(spec: S, hook: Hook): Note[]
  /** What is doubtful about it, and no reason to refuse it. */
  doubts?(spec: S, hook: Hook): Note[]
  /** The spec without the parts that `check` finds fault with, where the others work without them. */
  soundPart?(spec: S, hook: Hook): Record<string, unknown> | undefined
  /** How many runs at once, over all dispatches; waiting does not count against the hook's deadline. */
  concurrency?: number
  /** How long it may need to clean up after an abort; absent: 1.5 s. After it, the gate goes on without it. */
  settleMs?: number
  /** Early, when hooks of this type are loaded: start what takes long to start. */
  warm?(specs: readonly S[]): void
  /** Hooks have changed: what none of these specs needs may end, once it has nothing left to do. */
  retain?(specs: readonly S[]): void
  run(spec: S, call: Call): Eventually<WireReply | DirectReply>
  /** Runs no code in this process but our own, so that no event is ever raised inside its hooks: nothing need follow them. */
  contained?: boolean
  /** Its hooks read `view`, and answer in the words of their system. */
  readsView?: boolean
  /** Its `allow` answers an `ask` of its own or a weaker layer. Never a deny, and never a stronger layer's ask. */
  answersAsks?: boolean
  /** Paths in its spec begin at the config file: the same words in two directories name two things. */
  besideConfig?: boolean
  /** A run of it reads and decides, and leaves nothing behind: `explain` runs it to show what it decides. Absent: it may. */
  leavesNoTrace?(spec: S, hook: Hook): boolean
  /** What each run costs, where it costs money: then nobody runs it just to try it. */
  costs?: string
  /** Checks, without running it, that everything is there to run this. Throws a HookFailure. */
  ready?(spec: S, hook: Hook): void
  /** What a hook like this must answer, where that is known before it runs; undefined where it is not. */
  canaries?(spec: S, hook: Hook): readonly Canary[] | undefined
  /** The programs that a script of this spec can call by name. Absent: those of this machine, if it starts any. */
  offers?(spec: S): readonly string[]
  /** Stop everything: no process, timer, socket or handle is left. */
  close?(): Promise<void>
}

/** Identity, for inference. */
export const defineExecutor = <S>(executor: Executor<S>): Executor<S> => executor
