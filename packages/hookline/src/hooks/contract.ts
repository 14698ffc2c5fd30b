import type {
  Audience,
  Dialect,
  Event,
  EventName,
  Executor,
  Hook,
  HostInfo,
  Note,
  Payload,
  RuleEntry,
  StateStore,
  Verdict,
  WireReply,
} from '../core/index.ts'
import type { Later, Plan, Trust } from '../engine/index.ts'
import type { Handler } from '../executors/index.ts'
import type { Journal, JournalOptions, JournalStore } from '../journal/index.ts'
import type {
  Execute,
  GuardedCall,
  GuardOptions,
  HookSession,
  JudgedTool,
  JudgeOptions,
  Rewritable,
  SessionDefaults,
  ToolOutcome,
} from '../seam/index.ts'
import type { CodeHook, LoadOptions } from './load-hooks.ts'

export interface HooksOptions extends LoadOptions {
  /** Where dispatches are recorded: a file, a store of your own. Default: the last hundred, in memory; `false`: nowhere. */
  journal?: JournalOptions | JournalStore | false
  /**
   * Where counts, budgets and redo caps are kept between events. Default: in memory, for a program that lives as long as
   * its sessions. `fileState()` keeps them in files that every process of the user sees.
   */
  state?: StateStore
  /** Whether this exact hook may run for this event. Default: yes. */
  trust?(hook: Hook, event: Event, dialect: Dialect, executor: Executor): Trust
  /** What `cwd` says when a payload does not. Default: the directory of this process. */
  cwd?: string
  /** Who raises events, for the journal: the agent and its version. */
  host?: HostInfo
  /** No functions are added with on(): what only they would need is not loaded, and the start is faster. */
  sealed?: boolean
  /** More executors, beside our own. */
  executors?: readonly Executor[]
  /** Called at every event: a note while hooks are switched off, when only managed ones run. */
  off?(): Note | undefined
  /**
   * Reload by itself when config files change, or what is in these directories. What cannot be loaded leaves the last
   * good generation in place, and onNote gets a note. New hooks run when `trust` allows them.
   */
  watch?: boolean | readonly string[]
  /** For a process that lives for one event: gets what nobody waits for, instead of it being run here. `runLater` runs it elsewhere. */
  later?: Later
  /** Gets notes that come after a verdict: failures of background hooks, late answers, what a reload has changed. */
  onNote?(note: Note): void
}

export interface RaiseOptions {
  signal?: AbortSignal
  /** Who raises it, for the journal and for rules about hosts. Default: `host` of the options of these hooks. */
  host?: HostInfo
  /** Who can answer when a hook asks. Default: what is known of the host, else a person. */
  audience?: Audience
  /** Where the host cannot ask, a question can be kept until somebody answers it. */
  waits?: boolean
  /** Nothing is enforced: hooks run, and report and record what they would have done. Managed ones still count. */
  shadow?: boolean
  /** Raised to try something, not by life; recorded as such. */
  synthetic?: boolean
  /** Whose tools the payload names: it has our shape, and its calls, and those of the verdict, are in this system's words. */
  dialect?: Dialect
}

/** How all events of a session are raised. */
export interface SessionOptions extends Pick<RaiseOptions, 'host' | 'shadow'> {
  /** Gets every verdict, in order. */
  onVerdict?(verdict: Verdict): void
}

/** Spelled out per event: so the checker knows the literals inside a function's answer. */
type Handlers = { [E in EventName]: Handler<E> }

/** How a function hook runs, beyond its matcher. */
export type FunctionOptions = Omit<CodeHook, 'event' | 'matcher' | 'run'>

export interface Hooks {
  raise<E extends EventName>(event: E, payload: Payload<E>, options?: RaiseOptions): Promise<Verdict<E>>
  /**
   * One tool call from start to end, around any function: every event of it, in order, and the final input and output
   * back. `execute` runs only when hooks, rules and the person allow it.
   */
  guardTool<I extends object, O, F = Rewritable<O>>(
    call: GuardedCall<I>,
    execute: Execute<I, O>,
    options?: GuardOptions<I, O, F>,
  ): Promise<ToolOutcome<I, F>>
  /**
   * The first half of that: whether it may run, and with which input. What waits for a person can be answered in another
   * request and another process (`keep`); `run` is the second half.
   */
  judgeTool<I extends object>(call: GuardedCall<I>, options?: JudgeOptions<I>): Promise<JudgedTool<I>>
  /** A conversation: the same for its start, prompts, model calls, tools, stops and end. `defaults` go into every payload. */
  session(id: string, defaults?: SessionDefaults, options?: SessionOptions): HookSession
  /** A digest of the hooks and rules that count now: approvals of calls hold as long as it is the same. */
  policy(): Promise<string>
  /** A payload in another system's own shape; `event` names the event where the payload does not. */
  raiseAs(
    dialect: string,
    payload: Record<string, unknown>,
    options?: Omit<RaiseOptions, 'host'> & { event?: string; host?: Partial<HostInfo> },
  ): Promise<Verdict>
  /** What a host of that system would read from one hook that answers with this verdict, and the exit code it would see. */
  replyAs(dialect: string, verdict: Verdict): Promise<WireReply>
  /** Adds a function hook; gives back the function that removes it. */
  on<E extends EventName>(
    event: E,
    matcher: CodeHook['matcher'],
    handler: Handlers[E],
    options?: FunctionOptions,
  ): () => void
  on<E extends EventName>(event: E, handler: Handlers[E]): () => void
  /** Adds a rule; gives back the function that removes it. */
  rule(rule: RuleEntry): () => void
  /** Which hooks would run, which not, and why; nothing runs. `dialect`: in whose words the payload names its tools. */
  plan<E extends EventName>(event: E, payload: Payload<E>, options?: { dialect?: Dialect }): Plan & { event: Event }
  /** Turns a hook off, or on again, from the next event on. What the administrator of the machine has set stays on. */
  enable(id: string, enabled: boolean): void
  /** Reads all config files anew. When anything is wrong with them, rejects, and what was there stays. */
  reload(): Promise<void>
  /** Runs a background hook that another process has left, unless it is switched off or gone by now. */
  runLater(id: string, event: Event): Promise<void>
  readonly hooks: readonly Hook[]
  /** What runs a hook; undefined for one that is not among these. */
  executorOf(hook: Hook): Executor | undefined
  readonly notes: readonly Note[]
  /** The files that these were read from, bundles included, and a mark of what stood in each: see `freshnessOf`. */
  readonly reads: ReadonlyMap<string, string>
  /** When they amount to something else, though no file has changed: a policy of a fleet that becomes stale. */
  readonly until: number | undefined
  readonly generation: number
  readonly journal: Journal
  /** Waits for background hooks (at most `drainMs`), then stops everything: no process, timer, socket or handle is left. */
  close(options?: { drainMs?: number }): Promise<void>
}
