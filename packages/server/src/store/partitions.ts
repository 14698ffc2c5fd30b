import { setTimeout as delay } from 'node:timers/promises'
import type { Queries, Sql } from './sql.ts'

/**
 * Tables whose rows are numbered in the order in which they arrive. In PostgreSQL each is cut into parts of so many numbers, which are stretches of time:
 * what is new is written into small indexes, and what is old goes as a whole.
 */
export const partitioned: Readonly<Record<string, string>> = {
  entries: 'id',
  entry_text: 'rowid',
  events: 'id',
  hook_runs: 'entry',
  rule_matches: 'entry',
  lines: 'entry',
}

/**
 * Makes the parts for these numbers, and says up to which there are parts then. Called by whoever holds the numbers: nobody else does it meanwhile. A part
 * that is made as one would wait for all who read the table, and everybody behind it; one that is attached waits for nobody.
 */
export async function makeParts(sql: Queries, first: number, last: number, size: number): Promise<number> {
  const tables = await existing(sql)
  let from = Math.floor(first / size) * size
  for (; from <= last; from += size)
    for (const table of tables) {
      const part = `${table}_${from / size}`
      const made = await sql.all('select 1 from pg_class where oid = to_regclass($1)', [part])
      if (made.length > 0) continue
      await sql.run(`create table ${part} (like ${table} including all)`)
      await sql.run(`alter table ${table} attach partition ${part} for values from (${from}) to (${from + size})`)
    }
  return from - 1
}

/**
 * Drops the parts that end at this number or before, and empties the one that it falls into so far. Whoever drops a part locks the whole
 * table, and everybody waits behind it: so each goes by itself, with little patience. What cannot be dropped, since somebody reads
 * the table for long, is emptied, for which nobody waits, and dropped the next time.
 */
export async function forgetParts(sql: Pick<Sql, 'all' | 'run' | 'transaction'>, last: number): Promise<void> {
  for (const table of await existing(sql)) {
    for (const part of await partsUpTo(sql, table, last)) if (!(await isDropped(sql, part))) break
    await sql.run(`delete from ${table} where ${partitioned[table]} <= $1`, [last])
  }
}

async function partsUpTo(sql: Pick<Queries, 'all'>, table: string, last: number): Promise<string[]> {
  const parts = await sql.all<{ name: string; bound: string }>(
    `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = $1::regclass`,
    [table],
  )
  const endOf = (bound: string) => Number(/TO \('?(\d+)/.exec(bound)?.[1] ?? Number.POSITIVE_INFINITY)
  return parts.filter(({ bound }) => endOf(bound) <= last + 1).map(({ name }) => name)
}

async function isDropped(sql: Pick<Sql, 'transaction'>, part: string): Promise<boolean> {
  for (let tries = 0; tries < mostTries; tries += 1)
    try {
      await sql.transaction(async (within) => {
        await within.run(`set local lock_timeout = ${patienceMs}`)
        // Another server may have done it.
        await within.run(`drop table if exists ${part}`)
      })
      return true
    } catch (error) {
      if ((error as { code?: string }).code !== lockNotAvailable) throw error
      await delay(pauseMs)
    }
  return false
}

/** So long others wait behind it, and so long it lets them pass. */
const [patienceMs, pauseMs, mostTries] = [200, 300, 3]
const lockNotAvailable = '55P03'

async function existing(sql: Pick<Queries, 'all'>): Promise<string[]> {
  const rows = await sql.all<{ name: string }>(
    "select relname as name from pg_class where relkind = 'p' and relnamespace = current_schema()::regnamespace",
  )
  return rows.map(({ name }) => name).filter((name) => name in partitioned)
}
