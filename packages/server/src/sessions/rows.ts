import { leftBehind, one, type Sql, type Statement } from '../store/index.ts'
import type { AgentSettings } from './agents.ts'

/** One session, as the store has it. */
export interface SessionRow {
  id: string
  agent: string
  project: string
  settings: AgentSettings
  title: string
  by: string
  forked_from: string | null
  created: string
  updated: string
}

export type TurnState = 'queued' | 'running' | 'completed' | 'failed' | 'canceled'

/** One prompt, and what became of it. */
export interface TurnRow {
  id: string
  kind: 'prompt' | 'follow-up'
  prompt: string
  state: TurnState
  started: string
  ended: string | null
  /** Why it failed: `blocked_by_hook`, `error` …; and what the user should read. */
  code: string | null
  user_message: string | null
  response: string | null
}

export interface Outcome {
  state: 'completed' | 'failed' | 'canceled'
  code: string | null
  user_message: string | null
  response: string | null
}

export interface Rows {
  add(session: Omit<SessionRow, 'created' | 'updated'>): Promise<void>
  find(id: string): Promise<SessionRow | undefined>
  list(options: { by?: string | undefined; before?: number | undefined; limit: number }): Promise<SessionRow[]>
  rename(id: string, title: string): Promise<void>
  remove(id: string): Promise<void>
  addTurn(session: string, turn: Pick<TurnRow, 'id' | 'kind' | 'prompt' | 'state'>): Promise<void>
  beginTurn(id: string): Promise<void>
  endTurn(id: string, outcome: Outcome): Promise<void>
  /** The same for who does it together with something else: once, wherever it is tried again. */
  beginning(id: string): Statement
  ending(id: string, outcome: Outcome): Statement
  turns(session: string, limit: number): Promise<TurnRow[]>
  /** Turns that a server left behind that was killed. */
  unfinished(): Promise<Pick<TurnRow & { session: string }, 'id' | 'session' | 'kind' | 'prompt' | 'state'>[]>
  /** From now on this server looks after it. */
  takeTurn(id: string): Promise<void>
}

export function openRows(sql: Sql, server: string): Rows {
  /** No time twice: it is the order of turns. */
  let latest = 0
  const now = () => {
    latest = Math.max(Date.now(), latest + 1)
    return latest
  }
  const rows: Rows = {
    async add({ id, agent, project, settings, title, by, forked_from }) {
      await sql.run(
        `insert into agent_sessions (id, agent, project, settings, title, made_by, forked_from, created, updated)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
        [id, agent, project, JSON.stringify(settings), title, by, forked_from, now()],
      )
    },
    async find(id) {
      const row = await one<Stored>(sql, 'select * from agent_sessions where id = $1', [id])
      return row && asSession(row)
    },
    async list({ by, before = Number.MAX_SAFE_INTEGER, limit }) {
      const [own, values] = by === undefined ? ['', []] : [' and made_by = $3', [by]]
      const rows = await sql.all<Stored>(
        `select * from agent_sessions where created < $1${own} order by created desc, id desc limit $2`,
        [before, limit, ...values],
      )
      return rows.map(asSession)
    },
    async rename(id, title) {
      await sql.run("update agent_sessions set title = $1 where id = $2 and title = ''", [title, id])
    },
    async remove(id) {
      await sql.batch([
        { sql: 'delete from turns where session = $1', values: [id] },
        { sql: 'delete from agent_sessions where id = $1', values: [id] },
      ])
    },
    async addTurn(session, { id, kind, prompt, state }) {
      await sql.batch([
        {
          sql: 'insert into turns (id, session, kind, prompt, state, started, server) values ($1, $2, $3, $4, $5, $6, $7)',
          values: [id, session, kind, prompt, state, now(), server],
        },
        { sql: 'update agent_sessions set updated = $1 where id = $2', values: [now(), session] },
      ])
    },
    async beginTurn(id) {
      const { sql: text, values } = rows.beginning(id)
      await sql.run(text, values)
    },
    async endTurn(id, outcome) {
      const { sql: text, values } = rows.ending(id, outcome)
      await sql.run(text, values)
    },
    beginning: (id) => ({
      sql: "update turns set state = 'running', started = $1 where id = $2 and state = 'queued'",
      values: [now(), id],
    }),
    ending: (id, { state, code, user_message, response }) => ({
      // One that never began counts from its end, behind those that did.
      sql: `update turns set started = case state when 'queued' then $2 else started end,
        state = $1, ended = $2, code = $3, user_message = $4, response = $5
        where id = $6 and state in ('queued', 'running')`,
      values: [state, now(), code, user_message, response, id],
    }),
    async turns(session, limit) {
      const rows = await sql.all<StoredTurn>(
        `select id, kind, prompt, state, started, ended, code, user_message, response from turns
          where session = $1 order by case state when 'queued' then 0 else 1 end, started desc, id desc limit $2`,
        [session, limit],
      )
      return rows.reverse().map(({ started, ended, ...row }) => ({
        ...row,
        started: new Date(started).toISOString(),
        ended: ended === null ? null : new Date(ended).toISOString(),
      }))
    },
    unfinished: () =>
      sql.all(
        `select id, session, kind, prompt, state from turns where state in ('running', 'queued') and ${leftBehind}
          order by case state when 'running' then 0 else 1 end, started`,
      ),
    async takeTurn(id) {
      await sql.run('update turns set server = $1 where id = $2', [server, id])
    },
  }
  return rows
}

interface Stored {
  id: string
  agent: string
  project: string
  settings: string
  title: string
  made_by: string
  forked_from: string | null
  created: number
  updated: number
}

type StoredTurn = Omit<TurnRow, 'started' | 'ended'> & { started: number; ended: number | null }

const asSession = ({ settings, made_by: by, created, updated, ...row }: Stored): SessionRow => ({
  ...row,
  settings: JSON.parse(settings) as AgentSettings,
  by,
  created: new Date(created).toISOString(),
  updated: new Date(updated).toISOString(),
})
