import { type EventName, type Payload, redactValue, type Verdict } from 'hookline/internal'
import type {
  AgentSpec,
  Happening,
  Message,
  Model,
  OpenTools,
  SessionLog,
  SessionRecord,
  Tool,
  ToolCall,
  Usage,
} from '../core/index.ts'
import type { Permissions } from '../permissions/index.ts'
import type { AgentOptions } from './agent.ts'
import type { Budgets } from './budgets.ts'
import type { Broadcast } from './events.ts'
import { keyAt, makePlace, type Place, step, turnName } from './steps.ts'

/** One conversation, of the root agent or of a sub-agent: its transcript, and what is queued for it. */
export interface Session {
  readonly shared: AgentContext
  readonly id: string
  readonly parent: Session | undefined
  /** The active agent; a handoff changes it, from the next turn on. */
  spec: AgentSpec
  /** Who takes over when this turn has ended: what the active agent has begun in it stays its own. */
  next?: AgentSpec | undefined
  messages: Message[]
  /** What `session_start` hooks added: kept for the life of the session. */
  readonly context: string[]
  /** What hooks of a run added: seen at this place of the transcript until the run ends, never kept. */
  asides: Aside[]
  /** Context of hooks that ran when a run had ended; the next run reads it. */
  readonly carried: string[]
  readonly log: SessionLog | undefined
  /** With those of its sub-agents. */
  readonly totals: { usage: Usage; cost: number | undefined; calls: number }
  /** What it works on now. */
  run?: Run | undefined
  readonly steering: string[]
  readonly followUps: string[]
  /** The token counts of the last request, as the provider reported them; estimates start from here. */
  lastInputTokens: number
  lastOutputTokens: number
  lastUserMessage: string
  turns: number
  /** How often it was resumed before. */
  resumed: number
  /** What happens outside of tool calls happens here: in this turn, or since it ended. */
  place: Place
  /** Between `turn_start` and `turn_end`. */
  inTurn: boolean
  /** The goal it works for, while it does. */
  goal: Goal | undefined
  /** The tools of the loop, as they were made for this agent and goal. */
  own?: { spec: AgentSpec; goal: Goal | undefined; tools: readonly Tool[] }
}

/** One message of the user on its way to an answer: as many turns as it takes. */
export interface Run {
  readonly session: Session
  readonly signal: AbortSignal
  /** Model calls so far, and how many are allowed before the person has to approve more. */
  iteration: number
  limit: number | undefined
  /** How often hooks have sent the agent back. */
  redos: number
  readonly toolNames: string[]
  /** What the model calls in this turn. */
  calls: readonly ToolCall[]
  /** Sub-agents included. */
  readonly spent: { usage: Usage; cost: number | undefined }
  /** The last batch of tool calls, and how often it came in a row. */
  repeated: { batch: string; times: number }
  /** Agents that have handed the conversation over (`force_handoff`). */
  readonly handedOver: Set<string>
  response: string
  model: string
  /** The error that was raised inside its turn, so that it is raised once. */
  reported?: unknown
}

/** Transient context: after how many messages of the transcript it is seen. */
export interface Aside {
  after: number
  content: string
}

/** What a session works for under supervision. */
export interface Goal {
  /** As hooks of the prompt left it. */
  text: string
  /** Set when a claim survived. */
  reached?: string
  /** Set when claims were refused so often that nobody goes on: why the last one was. */
  givenUp?: string
  refused: number
  /** The text and the tools that came before the claim. */
  response: string
  toolNames: readonly string[]
}

/** What all sessions of one agent share: how to raise and watch, permissions, and what is open. */
export interface AgentContext {
  readonly options: AgentOptions
  readonly permissions: Permissions
  readonly permissionMode: string
  /** What happens, for those who read `agent.events()`. */
  readonly broadcast: Broadcast
  /** Questions to the person wait here for their turn. */
  asking: Promise<unknown>
  /** The same for the agent of a file in every session, and another for each. */
  agentId(agent: string): string
  toolsOf(spec: AgentSpec): Promise<OpenTools>
  modelsOf(spec: AgentSpec): Promise<readonly Model[]>
  /** By agent: the model that took over after a rate limit, and until when it goes first. */
  readonly resting: Map<string, { first: string; until: number }>
  /** A session of its own for a sub-agent; it has the same id when the call that begins it is run again. */
  child(spec: AgentSpec, parent: Session, begunAt: Place): Promise<Session>
  /** The tools of the loop itself, for this session. */
  ownTools(session: Session): readonly Tool[]
  readonly budgets: Budgets
  /** Sub-agents that work beside their parent. */
  readonly background: Map<string, BackgroundTask>
  close(): Promise<void>
}

export interface BackgroundTask {
  id: string
  agent: string
  task: string
  state: 'running' | 'done' | 'failed' | 'stopped'
  response: string
  stop(): void
  ended: Promise<void>
}

export function makeSession(
  shared: AgentContext,
  spec: AgentSpec,
  id: string,
  parent: Session | undefined,
  log: SessionLog | undefined,
): Session {
  return {
    shared,
    id,
    parent,
    spec,
    messages: [],
    context: [],
    asides: [],
    carried: [],
    log,
    totals: { usage: {}, cost: undefined, calls: 0 },
    steering: [],
    followUps: [],
    lastInputTokens: 0,
    lastOutputTokens: 0,
    lastUserMessage: '',
    turns: 0,
    resumed: 0,
    place: makePlace(0),
    inTurn: false,
    goal: undefined,
  }
}

/** Raises an event in the name of this session, and shows the user what hooks want them to read. */
export async function raise<E extends EventName>(
  session: Session,
  event: E,
  payload: Omit<Payload<E>, keyof Common>,
  { signal, agent = session.spec.name, id = session.id, place = session.place, inStep = false }: RaiseOptions = {},
): Promise<Verdict<E>> {
  const { options, permissionMode } = session.shared
  const common: Common = {
    session_id: id,
    cwd: options.cwd,
    project_dir: options.projectDir ?? options.cwd,
    agent_name: agent,
    agent_id: session.shared.agentId(agent),
    permission_mode: permissionMode,
  }
  if (options.orgId !== undefined) common.org_id = options.orgId
  if (session.log?.path !== undefined) common.transcript_path = session.log.path
  if (session.parent) common.sub_agent = true
  if (session.inTurn) common.turn_id = `${session.id}.${turnName(session)}`
  const whole = { ...common, ...payload } as unknown as Payload<E>
  const judge = () =>
    options.raise(event, whole, {
      ...(signal && { signal }),
      ...(!options.person && { audience: 'nobody' as const }),
    })
  const given = await (inStep ? judge() : step(session, 'verdict', event, judge, place, { kept: keptVerdict }))
  const verdict = given.payload === undefined ? ({ ...given, payload: whole } as Verdict<E>) : given
  // What a hook tells the user of something that it blocked is read also where little is shown.
  const level = verdict.halt || verdict.decision?.ruling === 'deny' ? 'warning' : 'info'
  // Two hooks that say the same are read once.
  for (const text of new Set(verdict.message)) show(session, { type: 'notice', level, text })
  return verdict
}

/** The payload that hooks left as it was is made again; of the reports, only what somebody reads: who refused. */
function keptVerdict(given: unknown): unknown {
  const { payload, reports, ...verdict } = given as Verdict<EventName>
  const refusals = reports.filter(({ outcome }) => outcome === 'deny')
  return { ...verdict, reports: refusals, ...(verdict.rewrite ? { payload } : {}) }
}

interface RaiseOptions {
  signal?: AbortSignal
  /** Whom the event is about, when not the active agent of this session. */
  agent?: string
  id?: string
  /** The call that it is part of. Default: none. */
  place?: Place
  /** Raised while a step runs, of which it is then a part. */
  inStep?: boolean
}

interface Common {
  session_id: string
  cwd: string
  project_dir: string
  agent_name: string
  agent_id: string
  org_id?: string
  transcript_path?: string
  sub_agent?: true
  turn_id?: string
  permission_mode: string
}

type Shown = Happening extends infer H
  ? H extends Happening
    ? Omit<H, 'session_id' | 'agent' | 'sub_agent'>
    : never
  : never

export function show(session: Session, happening: Shown): void {
  const { options, broadcast } = session.shared
  const whole = {
    session_id: session.id,
    agent: session.spec.name,
    ...(session.parent ? { sub_agent: true as const } : {}),
    ...happening,
  } as Happening
  options.watch?.(whole)
  broadcast.send(whole)
}

/** Adds a message to the transcript, for good. */
export function add(session: Session, message: Message): void {
  session.messages.push(message)
  if (message.role === 'user') session.lastUserMessage = message.content
  keep(session, { type: 'message', message: keptOf(message) })
}

/**
 * What no hook has seen is not kept as it is. The arguments of calls: what hooks leave of them is kept with each call. Thoughts of
 * the model, which no event shows: without secrets. What the provider wants back is signed, so that it is kept whole or not at all.
 */
function keptOf(message: Message): Message {
  if (message.role !== 'assistant') return message
  const { reasoning, tool_calls, ...rest } = message
  return {
    ...rest,
    ...(reasoning === undefined ? {} : { reasoning: redactValue(reasoning).value }),
    ...(tool_calls && { tool_calls: tool_calls.map(keptCall) }),
  }
}

function keptCall({ provider, ...call }: ToolCall): ToolCall {
  return {
    ...call,
    input: {},
    ...(call.invalid === undefined ? {} : { invalid: 'They are not kept.' }),
    ...(provider && redactValue(provider).found === 0 ? { provider } : {}),
  }
}

export function keep(session: Session, record: SessionRecord, place = session.place): void {
  if (session.log) keepAs(session, record, keyAt(place, record.type))
}

/** What happened in another session, such as that of a sub-agent, has the key that it has there. */
export function keepAs(session: Session, record: SessionRecord, key: string): void {
  session.log?.append(record, key)
}

/** Context for the rest of this run, at this place of the transcript. */
export function aside(session: Session, context: readonly string[] | undefined): void {
  for (const content of context ?? []) session.asides.push({ after: session.messages.length, content })
}
