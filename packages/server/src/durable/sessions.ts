import { randomUUID } from 'node:crypto'
import type { Durable, Person } from '@hookline/agent'
import { refuse } from '../http/problem.ts'
import {
  agentLibrary,
  canceled,
  type Outcome,
  openRows,
  openSession,
  outcomeOf,
  type SessionRow,
  type Sessions,
  type SessionsOptions,
  type SessionView,
  type TurnRow,
  upTo,
} from '../sessions/index.ts'
import { bringQuestions } from './bring.ts'
import type { OpenQuestion } from './questions.ts'
import { type SessionRecord, soFar } from './tables.ts'
import type { Surviving, Turn } from './turn.ts'
import { startWorker, type TurnWorker } from './worker.ts'

export interface DurableOptions extends Omit<SessionsOptions, 'questions'> {
  /** Where people find what turns wait for; absent in a process that only runs them. */
  questions?: SessionsOptions['questions']
  database: string
  /** False: other workers run the turns. */
  runsTurns?: boolean
  atOnce?: number
  answerWithinMs?: number
}

const shownTurns = 100
/** How often to look for what servers left that are gone. */
const takeLeftMs = 5_000
/** How long the end of a session waits for its turn to stop. */
const stopMs = 10_000

/** Sessions whose turns are workflows: they survive this process, and any of the workers runs them. */
export async function openDurableSessions(options: DurableOptions): Promise<Sessions & { worker: TurnWorker }> {
  const { sql, hub, server, questions, journal, configsFor, channelFor, log } = options
  const rows = openRows(sql, server)
  const worker = await startWorker({
    ...{ database: options.database, sql, log },
    ...(options.runsTurns !== undefined && { runsTurns: options.runsTurns }),
    ...(options.atOnce !== undefined && { atOnce: options.atOnce }),
    ...(options.answerWithinMs !== undefined && { answerWithinMs: options.answerWithinMs }),
    open: openTurn,
    async began({ id, session, text }) {
      await hub.publishWith(rows.beginning(id), 'turn.started', { turn: id, prompt: text }, session)
    },
    async ended({ id, session }, end) {
      const outcome = outcomeOf(end)
      await ended(session, id, outcome)
      // Whoever queued more should look first.
      const goesOn = outcome.state === 'completed' || outcome.code === 'blocked_by_hook'
      if (goesOn) return
      for (const each of await rows.turns(session, shownTurns))
        if (each.state === 'queued') await stopQueued(session, each.id)
    },
  })
  const release = questions ? await bringQuestions({ sql, worker, questions, rows, log }) : () => {}
  void lookForLeft()
  const looking = setInterval(() => void lookForLeft(), takeLeftMs).unref()

  async function openTurn(turn: Turn, surviving: Surviving) {
    const row = await rows.find(turn.session)
    if (!row) throw new Error(`There is no session ${turn.session} any more.`)
    const { records, continues, openLog: open, person, isLive } = surviving
    return openSession({
      ...{ row, configs: await configsFor(row.agent), channel: await channelFor(row.id), journal, hub, log },
      surviving: { id: row.id, records, continues, open, person, isLive },
    })
  }

  /** Once, also when the process that did it dies before the turn is over. */
  async function ended(session: string, turn: string, outcome: Outcome): Promise<void> {
    const { state, ...rest } = outcome
    const said = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
    await hub.publishWith(rows.ending(turn, outcome), `turn.${state}`, { turn, ...said }, session)
  }

  /**
   * What a server that is gone has written down of a turn, and did not live to do: its workflow may not have begun, or be over. To
   * begin one that has begun changes nothing.
   */
  async function takeLeft(): Promise<void> {
    for (const { id, session, kind, prompt, state } of await rows.unfinished()) {
      if (state === 'queued') await begin(session, { id, kind, text: prompt })
      const end = await worker.over(id)
      if (end) await ended(session, id, outcomeOf(end))
      else await rows.takeTurn(id)
    }
  }

  async function lookForLeft(): Promise<void> {
    try {
      await takeLeft()
    } catch (error) {
      log(`Turns of servers that are gone cannot be looked at now, and will be: ${String(error)}`)
    }
  }

  async function begin(session: string, turn: Pick<Turn, 'id' | 'kind' | 'text'>): Promise<void> {
    // Hooks match by where a prompt comes from: the service of the chat that the session belongs to, or a page.
    await worker.begin({ ...turn, session, channel: (await channelFor(session))?.kind ?? 'web' })
  }

  async function stopQueued(session: string, turn: string): Promise<void> {
    await worker.forget(turn)
    await ended(session, turn, canceled)
  }

  async function current(session: string): Promise<TurnRow[]> {
    const all = await rows.turns(session, shownTurns)
    return all.filter(({ state }) => state === 'running' || state === 'queued')
  }

  async function start(row: SessionRow, kind: TurnRow['kind'], text: string): Promise<string> {
    const id = `trn_${randomUUID().replaceAll('-', '')}`
    await rows.addTurn(row.id, { id, kind, prompt: text, state: 'queued' })
    await rows.rename(row.id, text.replace(/\s+/g, ' ').trim().slice(0, 80))
    await begin(row.id, { id, kind, text })
    return id
  }

  async function view(row: SessionRow): Promise<SessionView> {
    const [working, open, turns] = await Promise.all([
      current(row.id),
      worker.questions.open(row.id),
      rows.turns(row.id, shownTurns),
    ])
    const state = working.length === 0 ? 'idle' : open.length > 0 ? 'waiting' : 'working'
    return { ...row, state, turns, asks: open.flatMap(asAsk) }
  }

  /** What a session begins with; a hook of `session_start` may refuse it. */
  async function beginSession(
    row: Omit<SessionRow, 'id' | 'created' | 'updated'>,
    channel: Parameters<Sessions['create']>[3],
  ) {
    const { openSessionStore } = await agentLibrary()
    const id = openSessionStore().newId()
    const kept: [string, SessionRecord][] = []
    const open = async (): Promise<Durable> => ({
      append: (record, key = '') => void kept.push([key, record]),
      flush: async () => {},
      close: async () => {},
    })
    const session = await openSession({
      ...{ row, configs: await configsFor(row.agent), channel, journal, hub, log },
      surviving: { id, records: [], open, person: nobody, isLive: () => true },
    })
    await session.leave()
    await worker.keep(id, 'start', kept)
    return id
  }

  return {
    worker,
    async create({ name: agent, project, settings }, by, title = '', channel) {
      const row = { agent, project, settings, title, by, forked_from: null }
      const id = await beginSession(row, channel)
      await rows.add({ ...row, id })
      await hub.publish('session.created', { agent, project }, id)
      return view((await rows.find(id))!)
    },
    list: async (wanted) => Promise.all((await rows.list(wanted)).map(view)),
    find: rows.find,
    view,
    async prompt(row, text) {
      if ((await current(row.id)).length > 0)
        throw refuse(409, 'request-conflict', { detail: 'The agent is working: steer it, or send a follow-up.' })
      return start(row, 'prompt', text)
    },
    followUp: (row, text) => start(row, 'follow-up', text),
    async steer(row, text) {
      await worker.steer(row.id, text)
      await hub.publish('turn.steered', { text }, row.id)
    },
    async cancel(row) {
      const [running] = await current(row.id)
      if (!running) return false
      await worker.cancel({ id: running.id, session: row.id })
      return true
    },
    async answer(row, id, text) {
      const found = await worker.questions.find(id)
      if (found?.session !== row.id || found.question.kind !== 'words') return false
      return worker.answer(id, { text })
    },
    async fork(row, by, prompts) {
      const { openSessionStore } = await agentLibrary()
      const id = openSessionStore().newId()
      const { records } = await soFar(sql, row.id)
      const copied = upTo(records as never, prompts).flatMap((record): SessionRecord[] => {
        if (record.type === 'session') return [{ ...record, id, started: new Date().toISOString() }]
        return record.type === 'ended' ? [] : [record as SessionRecord]
      })
      await worker.keep(
        id,
        'start',
        copied.map((record, at) => [`0/${at}`, record]),
      )
      const { agent, project, settings, title } = row
      await rows.add({ id, agent, project, settings, title, by, forked_from: row.id })
      await hub.publish('session.created', { agent, project, forked_from: row.id }, id)
      return view((await rows.find(id))!)
    },
    async export(row, format) {
      const { exportSession } = await agentLibrary()
      const [running] = await current(row.id)
      return exportSession((await worker.records(row.id, running?.id)) as never, format)
    },
    async remove(row) {
      for (const each of await current(row.id)) {
        if (each.state === 'queued') await stopQueued(row.id, each.id)
        else {
          await worker.cancel({ id: each.id, session: row.id })
          await worker.result(each.id, stopMs)
        }
      }
      const session = await openContinued(row).catch(() => undefined)
      await session?.close('other')
      await worker.drop(row.id)
      await rows.remove(row.id)
      await hub.publish('session.deleted', {}, row.id)
    },
    async notify(row, channel, text) {
      const session = await openContinued(row)
      const { sent, reason } = await session.agent.notify(channel, text)
      await session.leave()
      if (!sent) log(`A message to ${channel} was not sent: ${reason}`)
    },
    get open() {
      return worker.working
    },
    async close() {
      release()
      clearInterval(looking)
      await worker.close()
    },
  }

  /** Outside of a turn: nothing of it is kept. */
  async function openContinued(row: SessionRow) {
    const { records, turns } = await soFar(sql, row.id)
    const open = async (): Promise<Durable> => ({ append() {}, flush: async () => {}, close: async () => {} })
    return openSession({
      ...{ row, configs: await configsFor(row.agent), channel: await channelFor(row.id), journal, hub, log },
      surviving: { id: row.id, records, continues: { turns }, open, person: nobody, isLive: () => true },
    })
  }
}

const asAsk = ({ id, question }: OpenQuestion) =>
  question.kind === 'words' ? [{ id, question: question.question, options: question.options }] : []

const nobody: Person = {
  approve: async () => ({ answer: 'no', reason: 'Nobody answered.' }),
  answer: async () => 'The user did not answer.',
  goOn: async () => false,
}
