import type { Queries } from './sql.ts'

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

/** Makes the parts for these numbers, and says up to which there are parts then. Called by whoever holds the numbers: nobody else does it meanwhile. */
export async function makeParts(sql: Queries, first: number, last: number, size: number): Promise<number> {
  const tables = await existing(sql)
  let from = Math.floor(first / size) * size
  for (; from <= last; from += size)
    for (const table of tables)
      await sql.run(
        `create table if not exists ${table}_${from / size} partition of ${table} for values from (${from}) to (${from + size})`,
      )
  return from - 1
}

/** Drops the parts that end at this number or before, and empties the one that it falls into so far. */
export async function dropParts(sql: Queries, last: number): Promise<void> {
  for (const table of await existing(sql)) {
    const parts = await sql.all<{ name: string; bound: string }>(
      `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = $1::regclass`,
      [table],
    )
    for (const { name, bound } of parts) {
      const end = Number(/TO \('?(\d+)/.exec(bound)?.[1] ?? Number.POSITIVE_INFINITY)
      if (end <= last + 1) await sql.run(`drop table ${name}`)
    }
    await sql.run(`delete from ${table} where ${partitioned[table]} <= $1`, [last])
  }
}

async function existing(sql: Queries): Promise<string[]> {
  const rows = await sql.all<{ name: string }>(
    "select relname as name from pg_class where relkind = 'p' and relnamespace = current_schema()::regnamespace",
  )
  return rows.map(({ name }) => name).filter((name) => name in partitioned)
}
