import { createHash, randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { count, type Model, type OpenTools } from '../core/index.ts'
import { createPermissions } from '../permissions/index.ts'
import { transcriptOf } from '../sessions/index.ts'
import { type Agent, type AgentOptions, NotOpened, type RunEnd } from './agent.ts'
import { openBudgets } from './budgets.ts'
import { compactNow, summaryMessage } from './compaction.ts'
import { makeBroadcast } from './events.ts'
import { clearSession, endSession, startSession, switchAgent } from './life.ts'
import { loopTools } from './own-tools/index.ts'
import { sendOut } from './own-tools/send-message.ts'
import { type PromptKind, pursue, runPrompt } from './prompt.ts'
import { type AgentContext, keep, makeSession, raise, show } from './session.ts'
import { placeOf, step } from './steps.ts'

/** How long the end of a session waits for what is still running. */
const patienceMs = 5_000

/** Opens a session and raises `session_start`; a halt there keeps it from opening. The caller ends it. */
export async function openAgent(options: AgentOptions): Promise<Agent> {
  const { team, resume } = options
  const shared = makeContext(options)
  const before = resume ? transcriptOf(resume) : undefined
  const id = options.sessionId ?? before?.session?.id ?? randomUUID()
  const spec = team.agents[before?.agent ?? team.root] ?? team.agents[team.root]!
  const session = makeSession(shared, spec, id, undefined, await options.openLog?.(id, undefined))
  if (before) {
    const summary =
      before.summary === undefined ? [] : [summaryMessage(before.summary, before.request, before.attachments)]
    session.messages = [...summary, ...before.messages]
    Object.assign(session.totals, before.totals)
    session.resumed = options.continues ? before.resumed : before.resumed + 1
    session.turns = options.continues?.turns ?? 0
    session.place = placeOf(session)
    session.context.push(...before.context)
    session.lastUserMessage = before.messages.findLast(({ role }) => role === 'user')?.content ?? before.request ?? ''
    if (!options.continues) keep(session, { type: 'resumed', at: new Date().toISOString() })
  } else {
    const team = options.team.file === undefined ? {} : { team: options.team.file }
    keep(session, {
      type: 'session',
      version: 1,
      id,
      started: new Date().toISOString(),
      cwd: options.cwd,
      agent: spec.name,
      ...team,
    })
  }

  let working: { stop: AbortController; done: Promise<unknown> } | undefined
  let ending: Promise<void> | undefined
  const { signal } = options
  const started = options.continues
    ? {}
    : await startSession(session, options.source ?? (before ? 'resume' : 'startup'), signal)
  if (started.halt !== undefined || signal?.aborted) {
    await endSession(session, 'other')
    await shared.close()
    if (signal?.aborted) throw new NotOpened({ reason: 'canceled', response: '' })
    const detail = `A hook ended the session as it began: ${started.halt}`
    throw new NotOpened({ reason: 'halted', response: '', detail })
  }

  /** Nothing is raised after `session_end`. */
  function mustBeOpen(): void {
    if (ending) throw new Error('The session has ended.')
  }

  /** One thing at a time; what comes meanwhile is steering or a follow-up, never a second run. */
  async function work<T>(job: (signal: AbortSignal) => Promise<T>, given?: AbortSignal): Promise<T> {
    mustBeOpen()
    if (working) throw new Error('The agent is working: steer it, or queue a follow-up.')
    const stop = new AbortController()
    // As many calls as the model likes wait for one signal.
    setMaxListeners(0, stop.signal)
    const abort = () => stop.abort()
    if (given?.aborted) abort()
    given?.addEventListener('abort', abort)
    const done = job(stop.signal).finally(() => {
      working = undefined
      given?.removeEventListener('abort', abort)
    })
    working = { stop, done }
    return done
  }

  /** Then runs what was queued meanwhile, each in a turn of its own, and waits for the user. */
  async function withFollowUps(first: Promise<RunEnd>, signal: AbortSignal): Promise<RunEnd> {
    let end = await first
    let next = await queued()
    for (;;) {
      for (; next && !signal.aborted && !stopsAll.has(end.reason); next = await queued()) {
        if (next.kind === 'follow-up') session.followUps.shift()
        const ended = await runPrompt(session, next.text, next.kind, signal)
        if (ended.reason !== 'refused') end = ended
      }
      await session.log?.flush()
      if (!options.person) return end
      show(session, { type: 'waiting' })
      await raise(session, 'on_user_input', {})
      next = await queued()
      if (!next || signal.aborted || stopsAll.has(end.reason)) return end
    }
  }

  /** Steering that came too late for its run goes before follow-ups. Whoever runs the session again goes on with the same. */
  function queued(): Promise<{ kind: PromptKind; text: string } | null> {
    return step(session, 'input', 'queued', async () => {
      const { steering, followUps } = session
      if (steering.length > 0) return { kind: 'steering', text: steering.join('\n') }
      return followUps.length > 0 ? { kind: 'follow-up', text: followUps[0]! } : null
    })
  }

  async function settled(): Promise<void> {
    const running = [...shared.background.values()].filter(({ state }) => state === 'running')
    if (running.length === 0) return
    const names = running.map(({ agent }) => agent).join(', ')
    const text = `Waiting for ${count(running.length, 'background agent')}: ${names}.`
    show(session, { type: 'notice', level: 'warning', text })
    await Promise.all(running.map(({ ended }) => ended))
    // One of them may have begun others.
    await settled()
  }

  return {
    sessionId: id,
    get agentName() {
      return session.spec.name
    },
    get modelName() {
      return session.spec.models[0] ?? ''
    },
    get messages() {
      return session.messages
    },
    totals: session.totals,
    get budgets() {
      return shared.budgets.uses
    },
    events: () => shared.broadcast.read(),
    prompt: (text, { signal: given, ...extras } = {}) =>
      work((signal) => withFollowUps(runPrompt(session, text, 'prompt', signal, extras), signal), given),
    goal: (text, { signal: given } = {}) =>
      work((signal) => withFollowUps(pursue(session, text, signal), signal), given),
    steer: (text) => void session.steering.push(text),
    followUp: (text) => void session.followUps.push(text),
    compact: () => work((signal) => compactNow(session, signal)),
    clear: () => work(() => clearSession(session)),
    async awaitInput() {
      mustBeOpen()
      show(session, { type: 'waiting' })
      await raise(session, 'on_user_input', {})
    },
    async notify(channel, text) {
      mustBeOpen()
      return sendOut(session, channel, text, AbortSignal.timeout(30_000))
    },
    async switchTo(agent) {
      mustBeOpen()
      await switchAgent(session, agent, 'force_handoff')
    },
    get permissionMode() {
      return shared.permissionMode
    },
    setPermissionMode: (mode) => shared.permissions.setMode(mode),
    settled,
    async useModel(name) {
      mustBeOpen()
      const spec = { ...session.spec, models: [name] }
      await shared.modelsOf(spec)
      session.spec = spec
    },
    cancel: () => working?.stop.abort(),
    async leave() {
      await shared.close()
      shared.broadcast.end()
    },
    end(reason) {
      ending ??= (async () => {
        const tasks = [...shared.background.values()]
        working?.stop.abort()
        for (const task of tasks) task.stop()
        await within(patienceMs, Promise.allSettled([working?.done, ...tasks.map(({ ended }) => ended)]))
        await endSession(session, reason)
        await shared.close()
        shared.broadcast.end()
      })()
      return ending
    },
  }
}

/** After these the user should look before more is done. */
const stopsAll = new Set(['halted', 'error', 'canceled', 'max_iterations', 'budget_exceeded'])

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  await Promise.race([
    work,
    new Promise((resolve) => {
      timer = setTimeout(resolve, ms)
    }),
  ])
  clearTimeout(timer)
}

export function makeContext(options: AgentOptions): AgentContext {
  const permissions = options.permissions ?? createPermissions({ team: options.team.permissions })
  const tools = new Map<string, Promise<OpenTools>>()
  const models = new Map<string, Promise<Model>>()
  const ids = new Map<string, string>()
  return {
    options,
    permissions,
    get permissionMode() {
      return permissions.mode
    },
    agentId: (agent) => {
      const known = ids.get(agent) ?? agentIdOf(options.team.file, agent)
      ids.set(agent, known)
      return known
    },
    broadcast: makeBroadcast(),
    asking: Promise.resolve(),
    toolsOf: (spec) => once(tools, spec.name, () => options.openTools(spec)),
    modelsOf: (spec) => Promise.all(spec.models.map((name) => once(models, name, () => options.openModel(name)))),
    resting: new Map(),
    async child(spec, parent, begunAt) {
      const id = childId(parent.id, begunAt.name)
      return makeSession(this, spec, id, parent, await options.openLog?.(id, parent.id))
    },
    ownTools: loopTools,
    budgets: openBudgets(options.team, options.resume),
    background: new Map(),
    async close() {
      const open = await Promise.allSettled(tools.values())
      await Promise.allSettled(open.map((each) => (each.status === 'fulfilled' ? each.value.close() : undefined)))
    },
  }
}

/** In the form of other ids, and always the same for the call that begins the sub-agent. */
function childId(parent: string, begunAt: string): string {
  const digest = createHash('sha256').update(`${parent}\0${begunAt}`).digest('hex')
  return [8, 12, 16, 20, 32].map((end, at, all) => digest.slice(all[at - 1] ?? 0, end)).join('-')
}

const agentIdOf = (file: string | undefined, agent: string): string =>
  `agt_${createHash('sha256')
    .update(`${file ?? ''}\0${agent}`)
    .digest('hex')
    .slice(0, 16)}`

/** What failed to open is tried again the next time. */
function once<T>(known: Map<string, Promise<T>>, name: string, open: () => Promise<T>): Promise<T> {
  const found = known.get(name)
  if (found) return found
  const opening = open()
  known.set(name, opening)
  opening.catch(() => known.delete(name))
  return opening
}
