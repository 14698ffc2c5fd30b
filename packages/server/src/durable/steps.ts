import type { Sql } from '../store/index.ts'
import type { Batch } from './journal.ts'
import { asSoFar, type SessionRecord, type SoFar, type SoFarRow, selectSoFar } from './tables.ts'
import type { Turn } from './turn.ts'

/** What a turn has written down at once, and what it was about: `model`, `verdict`, `tool`, `result`, `ask`, `end`. */
export interface Recorded {
  name: string
  batch: Batch
}

export async function recordedOf(sql: Sql, turn: string): Promise<Recorded[]> {
  const rows = await sql.lasting<{ name: string; batch: string }>(
    'select name, batch from durable_steps where turn = $1 order by run, at',
    [turn],
  )
  return rows.map(({ name, batch }) => ({ name, batch: JSON.parse(batch) as Batch }))
}

/** Nobody has run this turn before: from now on it is held by its first run. Else undefined, and nothing has changed. */
export async function holdFirst(sql: Sql, { id, session }: Turn): Promise<SoFar | undefined> {
  const rows = await sql.lasting<SoFarRow>(
    `with held as (
      insert into durable_turns (turn, session, run) values ($2, $1, 1) on conflict do nothing returning run)
    select null as key, null as record, null as kind, null as turn, 0 as at from held
    union all ${selectSoFar} order by at`,
    [session, id],
  )
  return rows[0]?.key === null ? asSoFar(rows.slice(1)) : undefined
}

/** False: a later run holds it. */
export async function holdLater(sql: Sql, { id, session }: Turn, run: number): Promise<boolean> {
  const held = await sql.lasting(
    `insert into durable_turns as held (turn, session, run) values ($1, $2, $3)
      on conflict (turn) do update set run = $3 where held.run <= $3 returning 1`,
    [id, session, run],
  )
  return held.length > 0
}

/** One run of a turn. Whoever holds it alone writes down what happens: the others find out that they do not. */
export interface Hold {
  run: number
  /** How often it has written something down. */
  steps: number
}

const held = 'with held as (select 1 from durable_turns where turn = $1 and run = $2 for share)'
const put = `put as (
  insert into durable_steps (turn, run, at, name, batch) select $1, $2, $3::integer, $4, $5 from held
    on conflict do nothing returning 1)`

/** One statement, so that it is one way to the database and one commit. False: another run holds the turn now. */
export async function writeDown(sql: Sql, turn: Turn, hold: Hold, { name, batch }: Recorded): Promise<boolean> {
  const rows = await sql.lasting(`${held}, ${put} select 1 from held`, [
    ...[turn.id, hold.run, hold.steps++, name, JSON.stringify(batch)],
  ])
  return rows.length > 0
}

/** The same for the last batch: with it the session has the records of the turn, and loses what the turn took from its inbox. */
export async function writeEnd(
  sql: Sql,
  turn: Turn,
  hold: Hold,
  { name, batch }: Recorded,
  kept: { records: Batch['records']; taken: number },
): Promise<boolean> {
  const records = kept.records.map(([session, key, record]) => [session, key, JSON.stringify(record)])
  const rows = await sql.lasting(
    `${held}, ${put}, kept as (
      insert into durable_records (session, turn, key, record)
        select each ->> 0, $1, each ->> 1, each ->> 2
          from put, json_array_elements($6::json) with ordinality as given (each, at) order by at
        on conflict do nothing),
    taken as (
      delete from durable_inbox where exists (select 1 from put) and (turn = $1 or id in
        (select id from durable_inbox where session = $7 and kind = 'steer' order by id limit $8)))
    select 1 from held`,
    [
      ...[turn.id, hold.run, hold.steps++, name, JSON.stringify(batch)],
      ...[JSON.stringify(records), turn.session, kept.taken],
    ],
  )
  return rows.length > 0
}

/** What is kept of a session: of the turns that are over, and of the one that runs. */
export async function allRecordsOf(sql: Sql, session: string, running = ''): Promise<readonly SessionRecord[]> {
  const rows = await sql.lasting<{ run: number; text: string }>(
    `select 0 as run, at, record as text from durable_records where session = $1
      union all select run, at, batch from durable_steps
        where turn = $2 and not exists (select 1 from durable_records where session = $1 and turn = $2)
      order by run, at`,
    [session, running],
  )
  return rows.flatMap(({ run, text }) => {
    if (run === 0) return [JSON.parse(text) as SessionRecord]
    const { records } = JSON.parse(text) as Batch
    return records.flatMap(([of, , record]) => (of === session ? [record] : []))
  })
}
