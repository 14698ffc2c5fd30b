import { type Change, one, type Sql } from './sql.ts'

/**
 * Takes so many numbers of events and runs what is made of them. Whoever takes numbers holds them until theirs are written: so they become visible in
 * their order, whichever server writes, and who has read up to one has missed nothing before it. Gives back the last number.
 */
export async function numbered(sql: Sql, count: number, make: (first: number) => readonly Change[]): Promise<number> {
  return sql.transaction(async (within) => {
    const row = await one<{ value: number }>(
      within,
      "update counters set value = value + $1 where name = 'events' returning value",
      [count],
    )
    const last = row!.value
    if (count > 0) await within.roomFor(last - count + 1, last)
    await within.batch(make(last - count + 1))
    if (count > 0) await within.announce(`events ${last}`)
    return last
  })
}

export async function lastNumber(sql: Sql): Promise<number> {
  return (await one<{ value: number }>(sql, "select value from counters where name = 'events'"))?.value ?? 0
}
