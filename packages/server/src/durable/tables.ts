import type { Durable } from '@hookline/agent'
import type { Sql } from '../store/index.ts'
import { announcing } from '../store/postgres.ts'

export type SessionRecord = Parameters<Durable['append']>[0]

/**
 * What DBOS does not keep: what turns have done, records of those that are over, what people wrote meanwhile, what they are asked,
 * and who works. Each is made once, by whoever comes first.
 */
const tables = [
  // Which run of a turn may write down what it does: the last that began.
  'create table if not exists durable_turns (turn text primary key, session text not null, run integer not null)',
  'create index if not exists durable_turns_session on durable_turns (session)',
  `create table if not exists durable_steps (
    turn text not null, run integer not null, at integer not null, name text not null, batch text not null,
    primary key (turn, run, at))`,
  `create table if not exists durable_records (
    at bigserial, session text not null, turn text not null, key text not null, record text not null,
    primary key (session, turn, key))`,
  `create table if not exists durable_inbox (
    id bigserial primary key, session text not null, turn text, kind text not null, text text not null)`,
  'create index if not exists durable_inbox_session on durable_inbox (session, id)',
  `create table if not exists durable_questions (
    id text primary key, session text not null, turn text not null, kind text not null, question text not null,
    asked bigint not null, expires bigint not null, answer text, answered bigint, settled bigint)`,
  'create index if not exists durable_questions_open on durable_questions (session) where settled is null',
  'create index if not exists durable_questions_unheard on durable_questions (answered) where settled is null and answer is not null',
  'create index if not exists durable_questions_expiring on durable_questions (expires) where settled is null',
  'create index if not exists durable_questions_turn on durable_questions (turn) where settled is null',
  `create table if not exists durable_workers (
    id text primary key, version text not null, since bigint not null, seen bigint not null, reaped bigint)`,
  // Turns on their way from one version to another.
  'create table if not exists durable_adopted (turn text primary key, session text not null)',
]

/** Processes that begin at once take turns, also for what `work` makes. */
export async function prepare(sql: Sql, work: () => Promise<void>): Promise<void> {
  await sql.transaction(async (within) => {
    await within.run('select pg_advisory_xact_lock(4666)')
    for (const text of tables) await within.run(text)
    await work()
  })
}

/**
 * A process that stands still in the middle of it holds its locks; after so long PostgreSQL ends it, so that others can go on. Less
 * than it takes until a worker counts as dead.
 */
export const idleMs = 2_000

/** What a session has so far: records of its turns that are over, how many turns of its agent that were, and what people wrote. */
export interface SoFar {
  records: readonly SessionRecord[]
  turns: number
  written: readonly Written[]
}

/** One row of it: a record, or something that a person wrote. */
export interface SoFarRow {
  key: string
  record: string
  kind: Written['kind'] | null
  turn: string
  at: number
}

export const selectSoFar = `select key, record, null as kind, turn, at from durable_records where session = $1
  union all select '', text, kind, turn, id from durable_inbox where session = $1`

export const soFar = async (sql: Sql, session: string): Promise<SoFar> =>
  asSoFar(await sql.lasting<SoFarRow>(`${selectSoFar} order by at`, [session]))

export function asSoFar(rows: readonly SoFarRow[]): SoFar {
  const kept = rows.filter(({ kind }) => kind === null)
  return {
    records: kept.map(({ record }) => JSON.parse(record) as SessionRecord),
    turns: kept.reduce((most, { key }) => Math.max(most, turnOf(key)), 0),
    written: rows.flatMap(({ kind, turn, record: text, at: id }) => (kind === null ? [] : [{ id, kind, turn, text }])),
  }
}

/** Keys begin with the number of the turn: `3/message`, and in a session that was resumed `1.3/message`. */
const turnOf = (key: string): number => Number(/^(?:\d+\.)?(\d+)\//.exec(key)?.[1] ?? 0)

/** What a person wrote for a session, in order, and which turn they wanted to stop. */
export interface Written {
  id: number
  kind: 'steer' | 'cancel'
  turn: string | null
  text: string
}

export const writtenFor = (sql: Sql, session: string): Promise<Written[]> =>
  sql.all<Written>('select id, kind, turn, text from durable_inbox where session = $1 order by id', [session])

export async function write(sql: Sql, session: string, { kind, turn, text }: Omit<Written, 'id'>): Promise<void> {
  await sql.all(
    `with written as (insert into durable_inbox (session, turn, kind, text) values ($1, $2, $3, $4) returning session)
      select ${announcing("'inbox ' || session")} from written`,
    [session, turn, kind, text],
  )
}

/** Those of these sessions for which people wrote something. */
export async function sessionsWrittenFor(sql: Sql, sessions: readonly string[]): Promise<string[]> {
  const rows = await sql.all<{ session: string }>(
    'select distinct session from durable_inbox where session in (select json_array_elements_text($1::json))',
    [JSON.stringify(sessions)],
  )
  return rows.map(({ session }) => session)
}

/** Records of a session, once for each turn and key. */
export const keep = (
  sql: Sql,
  session: string,
  turn: string,
  records: readonly (readonly [key: string, record: SessionRecord])[],
): Promise<void> =>
  sql.batch(
    records.map(([key, record]) => ({
      sql: 'insert into durable_records (session, turn, key, record) values ($1, $2, $3, $4) on conflict do nothing',
      values: [session, turn, key, JSON.stringify(record)],
    })),
  )

export const drop = (sql: Sql, session: string): Promise<void> =>
  sql.batch([
    {
      sql: 'delete from durable_steps where turn in (select turn from durable_turns where session = $1)',
      values: [session],
    },
    ...['durable_turns', 'durable_records', 'durable_inbox', 'durable_questions'].map((table) => ({
      sql: `delete from ${table} where session = $1`,
      values: [session],
    })),
  ])
