import type { EventName, Payload, Verdict } from 'hookline/internal'
import type {
  AgentSpec,
  Attachment,
  BudgetUse,
  Happening,
  Message,
  Model,
  OpenTools,
  Person,
  SessionLog,
  SessionRecord,
  Team,
  Usage,
  Watch,
} from '../core/index.ts'
import type { PermissionMode, Permissions } from '../permissions/index.ts'

/** Raises an event. The agent obeys the verdict and does not know who gives it. */
export type Raise = <E extends EventName>(
  event: E,
  payload: Payload<E>,
  options?: { signal?: AbortSignal; audience?: 'person' | 'nobody' },
) => Promise<Verdict<E>>

export interface AgentOptions {
  team: Team
  raise: Raise
  /** The model of that name: one of the team's, or `provider/model`. */
  openModel(name: string): Promise<Model>
  /** The tools of an agent, but for those of the loop itself (team, outbound, ask_user). */
  openTools(agent: AgentSpec): Promise<OpenTools>
  /** Sends what hooks let through. */
  send?(channel: string, text: string, signal: AbortSignal): Promise<void>
  /** The outbound channels that `send` knows. */
  channels?: readonly string[]
  cwd: string
  /** The root of the project, for hooks. Default: `cwd`. */
  projectDir?: string
  /** The organisation that the agent works for, for hooks of systems that have them. */
  orgId?: string
  /** Where prompts come from, for hooks: `cli`, `telegram` … */
  channel?: string
  permissions?: Permissions
  person?: Person
  watch?: Watch
  /** Where a session is kept; children get their own. */
  openLog?(id: string, parent: string | undefined): Promise<SessionLog>
  /**
   * The session of `resume` is open already, and goes on in this process after so many turns: nothing begins, so that no
   * `session_start` is raised.
   */
  continues?: { turns: number }
  /** The `source` of `session_start`. Default: `startup`, or `resume`. */
  source?: 'startup' | 'resume' | 'clear'
  /** The records of a session to go on with. */
  resume?: readonly SessionRecord[]
  sessionId?: string
  /** Aborts the opening while hooks of `session_start` run; afterwards, use `cancel` and `end`. */
  signal?: AbortSignal
  /** The share of the context window at which the transcript is compacted. */
  compactAt?: number
}

/** What goes with one prompt. */
export interface PromptOptions {
  /** Stops the run, as `cancel` does. */
  signal?: AbortSignal
  /** Pictures and files that go with it. */
  attachments?: readonly Attachment[]
  /** Where it comes from, when not from where all others do. */
  channel?: string
}

export interface Agent {
  readonly sessionId: string
  readonly agentName: string
  /** The model that is tried first. */
  readonly modelName: string
  readonly messages: readonly Message[]
  readonly totals: { usage: Usage; cost: number | undefined; calls: number }
  /** How much is used of each budget of the agent file. */
  readonly budgets: readonly BudgetUse[]
  /** One message of the user, until the agent has answered it, and what was queued meanwhile. */
  prompt(text: string, options?: PromptOptions): Promise<RunEnd>
  /** What happens from now on, as `watch` gets it, until the session ends or the loop is left. */
  events(): AsyncIterableIterator<Happening>
  /** While it works: given to it at the next opportunity. While it waits: with the next prompt. */
  steer(text: string): void
  /** Answered in a turn of its own, after this one. */
  followUp(text: string): void
  /** Works until a completion claim survives `on_completion_claim`. */
  goal(text: string, options?: Pick<PromptOptions, 'signal'>): Promise<RunEnd>
  compact(): Promise<'done' | 'vetoed' | 'failed' | 'nothing'>
  /** Begins the conversation anew, in the same session: `session_end` with `clear`, then `session_start` with `clear`. */
  clear(): Promise<void>
  /** The agent waits for its first prompt (`on_user_input`); after a run it does so by itself. */
  awaitInput(): Promise<void>
  notify(channel: string, text: string): Promise<{ sent: boolean; reason?: string }>
  /** Another agent of the team takes over (`force_handoff`). */
  switchTo(agent: string): Promise<void>
  /** What may run without asking; every payload says which. */
  readonly permissionMode: string
  setPermissionMode(mode: PermissionMode): void
  /** When no sub-agent works beside this one any more. */
  settled(): Promise<void>
  /** This model answers for the active agent from now on; throws when it cannot be opened. */
  useModel(name: string): Promise<void>
  /** Stops the current work; the session stays open. */
  cancel(): void
  /** Closes what it has opened, and raises nothing: another process goes on with the session. */
  leave(): Promise<void>
  /** Ends the session: `session_end` is raised, once, whatever happened. */
  end(reason: string): Promise<void>
}

export interface RunEnd {
  /** As in `turn_end`, and `max_iterations`, `budget_exceeded`, `halted`, `refused` (the prompt was denied). */
  reason: string
  response: string
  /** What the user should read when it did not end normally. */
  detail?: string
  /** Of a blocked prompt: what the hook wants the user to read. */
  user_message?: string
}

/** Thrown when a session did not start: a hook halted it, or its signal aborted. */
export class NotOpened extends Error {
  override name = 'NotOpened'
  readonly end: RunEnd
  constructor(end: RunEnd) {
    super(end.detail ?? 'The session was stopped as it began.')
    this.end = end
  }
}
