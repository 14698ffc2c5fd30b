import { randomUUID } from 'node:crypto'
import type { RunEnd, SessionRecord } from '@hookline/agent'
import type { ConfigFile } from 'hookline/internal'
import { refuse } from '../http/problem.ts'
import type { Questions } from '../questions/index.ts'
import type { Sql } from '../store/index.ts'
import type { Hub } from '../stream/index.ts'
import type { AgentDefinition } from './agents.ts'
import { agentLibrary, type OpenSession, type Outbound, openSession } from './open.ts'
import type { Ask } from './person.ts'
import { type Outcome, openRows, type SessionRow, type TurnRow } from './rows.ts'

/** `waiting`: a question of it is open. */
export type SessionState = 'idle' | 'working' | 'waiting'

export interface SessionView extends SessionRow {
  state: SessionState
  turns: TurnRow[]
  /** What the agent wants to know in words. */
  asks: readonly Ask[]
}

/** Sessions of agents that this server runs. A turn runs by itself; what happens is in the stream. */
export interface Sessions {
  create(agent: AgentDefinition, by: string, title?: string, channel?: Outbound): Promise<SessionView>
  list(options: { by?: string | undefined; before?: number | undefined; limit: number }): Promise<SessionView[]>
  find(id: string): Promise<SessionRow | undefined>
  view(row: SessionRow): Promise<SessionView>
  /** Gives back the turn that begins; refuses while another runs. */
  prompt(row: SessionRow, text: string): Promise<string>
  /** A turn of its own, after those that are there. */
  followUp(row: SessionRow, text: string): Promise<string>
  /** Given to the agent at the next opportunity. */
  steer(row: SessionRow, text: string): Promise<void>
  cancel(row: SessionRow): Promise<boolean>
  answer(row: SessionRow, id: string, text: string): Promise<boolean>
  fork(row: SessionRow, by: string, prompts: number | undefined): Promise<SessionView>
  export(row: SessionRow, format: 'markdown' | 'json'): Promise<string>
  /** Ends it (`session_end`) and forgets what was said in it. */
  remove(row: SessionRow): Promise<void>
  /** A message to the outside, after hooks of `on_outbound_message`. */
  notify(row: SessionRow, channel: string, text: string): Promise<void>
  readonly open: number
  close(): Promise<void>
}

export interface SessionsOptions {
  sql: Sql
  hub: Hub
  /** Which of the servers this is, where several use one store. */
  server: string
  questions: Questions
  journal: string
  /** What is assigned to an agent beside the config of its project. */
  configsFor(agent: string): Promise<readonly ConfigFile[]>
  /** By which channel messages of a session leave, where it belongs to a chat. */
  channelFor(session: string): Promise<Outbound | undefined>
  log(line: string): void
}

/** So many are open at once: each has hooks and tools of its own. */
const mostOpen = 200
const shownTurns = 100

interface Running {
  session: Promise<OpenSession & { id: string }>
  turn?: string | undefined
  queue: { id: string; text: string }[]
  working?: Promise<void> | undefined
}

export async function openSessions({
  sql,
  hub,
  server,
  questions,
  journal,
  configsFor,
  channelFor,
  log,
}: SessionsOptions): Promise<Sessions> {
  const rows = openRows(sql, server)
  const running = new Map<string, Running>()
  await settleUnfinished()

  /** A server was killed in the middle of these: what they did is in their logs, and nobody knows whether it was all. */
  async function settleUnfinished(): Promise<void> {
    for (const { id, session, state } of await rows.unfinished())
      await ended(session, id, state === 'running' ? interrupted : canceled)
  }

  function opened(row: SessionRow): Running {
    const found = running.get(row.id)
    if (found) return found
    mustHaveRoom()
    const session = Promise.all([configsFor(row.agent), channelFor(row.id)]).then(([configs, channel]) =>
      openSession({ row, id: row.id, configs, channel, journal, questions, hub, log }),
    )
    const made: Running = { session, queue: [] }
    running.set(row.id, made)
    session.catch(() => running.delete(row.id))
    return made
  }

  function mustHaveRoom(): void {
    if (running.size >= mostOpen)
      throw refuse(409, 'request-conflict', { detail: `There are ${mostOpen} open sessions: delete some.` })
  }

  async function begin(row: SessionRow, at: Running, id: string, text: string): Promise<void> {
    at.turn = id
    await hub.publish('turn.started', { turn: id, prompt: text }, row.id)
    at.working = work(row, at, id, text).catch((error: unknown) => log(`A turn could not be kept: ${String(error)}`))
  }

  async function work(row: SessionRow, at: Running, id: string, text: string): Promise<void> {
    const outcome = await run(row, at, text)
    await (await at.session.catch(() => undefined))?.flush()
    // Whoever queued more should look first.
    const goesOn = outcome.state === 'completed' || outcome.code === 'blocked_by_hook'
    const left = [
      { id, outcome },
      ...(goesOn ? [] : at.queue.splice(0)).map((each) => ({ id: each.id, outcome: canceled })),
    ]
    // It is over when the store says so, and told after that: whoever hears of it may begin the next.
    for (const each of left) await rows.endTurn(each.id, each.outcome)
    at.turn = undefined
    for (const each of left) await tellEnd(row.id, each.id, each.outcome)
    await beginNext(row, at)
  }

  async function beginNext(row: SessionRow, at: Running): Promise<void> {
    const next = at.turn === undefined ? at.queue.shift() : undefined
    if (!next) return
    at.turn = next.id
    await rows.beginTurn(next.id)
    await begin(row, at, next.id, next.text)
  }

  async function run(row: SessionRow, at: Running, text: string): Promise<Outcome> {
    try {
      const { agent } = await at.session
      // Hooks match by where a prompt comes from: the service of the chat that the session belongs to, or a page.
      const channel = (await channelFor(row.id))?.kind ?? 'web'
      return outcomeOf(await agent.prompt(text, { channel }))
    } catch (error) {
      return { ...failed, code: 'error', user_message: error instanceof Error ? error.message : String(error) }
    }
  }

  async function ended(session: string, turn: string, outcome: Outcome): Promise<void> {
    await rows.endTurn(turn, outcome)
    await tellEnd(session, turn, outcome)
  }

  async function tellEnd(session: string, turn: string, outcome: Outcome): Promise<void> {
    const { state, ...rest } = outcome
    const said = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
    await hub.publish(`turn.${state}`, { turn, ...said }, session)
  }

  async function start(row: SessionRow, at: Running, kind: TurnRow['kind'], text: string): Promise<string> {
    // Taken before anything is waited for: of two prompts at once, one begins.
    at.turn = 'next'
    try {
      const id = await addTurn(row, kind, text, 'running')
      await begin(row, at, id, text)
      return id
    } catch (error) {
      at.turn = undefined
      throw error
    }
  }

  async function addTurn(row: SessionRow, kind: TurnRow['kind'], text: string, state: 'running' | 'queued') {
    const id = `trn_${randomUUID().replaceAll('-', '')}`
    await rows.addTurn(row.id, { id, kind, prompt: text, state })
    await rows.rename(row.id, text.replace(/\s+/g, ' ').trim().slice(0, 80))
    return id
  }

  async function view(row: SessionRow): Promise<SessionView> {
    const at = running.get(row.id)
    const asks = at?.turn === undefined ? [] : ((await at.session.catch(() => undefined))?.asks.open ?? [])
    const waits = asks.length > 0 || questions.pending.some(({ session }) => session === row.id)
    const state = at?.turn === undefined ? 'idle' : waits ? 'waiting' : 'working'
    return { ...row, state, turns: await rows.turns(row.id, shownTurns), asks }
  }

  /** What is kept under a new id; the first record says which. */
  async function keepAs(records: readonly SessionRecord[], id: string): Promise<void> {
    const { openSessionStore } = await agentLibrary()
    const log = await openSessionStore().open(id)
    for (const record of records)
      if (record.type === 'session') log.append({ ...record, id, started: new Date().toISOString() })
      else if (record.type !== 'ended') log.append(record)
    await log.close()
  }

  return {
    async create({ name: agent, project, settings }, by, title = '', channel) {
      mustHaveRoom()
      const row = { agent, project, settings, title, by, forked_from: null }
      const session = await openSession({
        row,
        configs: await configsFor(agent),
        channel,
        journal,
        questions,
        hub,
        log,
      })
      const { id } = session
      await rows.add({ ...row, id })
      running.set(id, { session: Promise.resolve(session), queue: [] })
      await hub.publish('session.created', { agent, project }, id)
      return view((await rows.find(id))!)
    },
    async list(options) {
      return Promise.all((await rows.list(options)).map(view))
    },
    find: rows.find,
    view,
    async prompt(row, text) {
      const at = opened(row)
      await at.session
      if (at.turn !== undefined)
        throw refuse(409, 'request-conflict', { detail: 'The agent is working: steer it, or send a follow-up.' })
      return start(row, at, 'prompt', text)
    },
    async followUp(row, text) {
      const at = opened(row)
      await at.session
      if (at.turn === undefined) return start(row, at, 'follow-up', text)
      const id = await addTurn(row, 'follow-up', text, 'queued')
      at.queue.push({ id, text })
      // The turn before it may have ended meanwhile.
      await beginNext(row, at)
      return id
    },
    async steer(row, text) {
      const { agent } = await opened(row).session
      agent.steer(text)
      await hub.publish('turn.steered', { text }, row.id)
    },
    async cancel(row) {
      const at = running.get(row.id)
      if (at?.turn === undefined) return false
      ;(await at.session).agent.cancel()
      return true
    },
    async answer(row, id, text) {
      return (await running.get(row.id)?.session)?.asks.answer(id, text) ?? false
    },
    async fork(row, by, prompts) {
      const { openSessionStore } = await agentLibrary()
      const store = openSessionStore()
      const id = store.newId()
      await keepAs(upTo(await store.read(row.id), prompts), id)
      const { agent, project, settings, title } = row
      await rows.add({ id, agent, project, settings, title, by, forked_from: row.id })
      await hub.publish('session.created', { agent, project, forked_from: row.id }, id)
      return view((await rows.find(id))!)
    },
    async export(row, format) {
      const { openSessionStore } = await agentLibrary()
      return openSessionStore().export(row.id, format)
    },
    async remove(row) {
      const at = opened(row)
      const session = await at.session.catch(() => undefined)
      at.queue.length = 0
      await session?.close('other')
      await at.working
      running.delete(row.id)
      const { openSessionStore } = await agentLibrary()
      await openSessionStore()
        .remove(row.id)
        .catch(() => {})
      await rows.remove(row.id)
      await hub.publish('session.deleted', {}, row.id)
    },
    async notify(row, channel, text) {
      const { agent } = await opened(row).session
      const { sent, reason } = await agent.notify(channel, text)
      if (!sent) log(`A message to ${channel} was not sent: ${reason}`)
    },
    get open() {
      return running.size
    },
    async close() {
      await Promise.allSettled(
        [...running.values()].map(async (at) => {
          at.queue.length = 0
          await (await at.session).close('other')
          await at.working
        }),
      )
      running.clear()
    },
  }
}

const failed = { state: 'failed', code: null, user_message: null, response: null } as const
export const canceled: Outcome = { ...failed, state: 'canceled' }
const interrupted: Outcome = {
  ...failed,
  code: 'interrupted',
  user_message:
    'The server was stopped in the middle of the turn. What was done is in the session; prompt it to go on.',
}

export function outcomeOf({ reason, response, detail, user_message }: RunEnd): Outcome {
  if (reason === 'normal') return { state: 'completed', code: null, user_message: null, response }
  if (reason === 'canceled') return { ...canceled, response: response || null }
  const code = reason === 'refused' ? 'blocked_by_hook' : reason
  return { ...failed, code, user_message: user_message ?? detail ?? null, response: response || null }
}

/** The records before the prompt that comes after so many. */
export function upTo(records: readonly SessionRecord[], prompts: number | undefined): readonly SessionRecord[] {
  if (prompts === undefined) return records
  let seen = 0
  const end = records.findIndex(
    (record) => record.type === 'message' && record.message.role === 'user' && ++seen > prompts,
  )
  return end === -1 ? records : records.slice(0, end)
}
