import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { remove } from '../../hookline/test/support/scratch.ts'
import { openTotals } from '../src/decisions/index.ts'
import { lastNumber, numbered, Outrun, openPresence, openStore, type Sql } from '../src/store/index.ts'
import { openPostgres } from '../src/store/postgres.ts'
import { latest, migrate } from '../src/store/schema.ts'
import { openSqlite } from '../src/store/sqlite.ts'
import { openHub } from '../src/stream/index.ts'
import { startPostgres, type TestPostgres } from './support/postgres.ts'

let postgres: TestPostgres
const root = mkdtempSync(join(tmpdir(), 'hookline-store-'))
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  await postgres.stop()
  remove(root)
})

/** In the middle of the first step, and of a later one: statements of each process, of which the second goes on where the first began. */
const killedAt = [9, 50]

/** In a process of its own, which dies before this statement. */
async function migrating(address: string, dieAt = 0): Promise<string> {
  const file = fileURLToPath(new URL('support/migrating.mjs', import.meta.url))
  const child = spawn(process.execPath, [file, address, String(dieAt)], { stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  return signal === 'SIGKILL' ? 'killed' : code === 0 ? 'ended' : errors
}

let files = 0
const databases = {
  SQLite: async () => join(root, `${files++}.db`),
  PostgreSQL: async () => postgres.database(),
}
const bare = { SQLite: openSqlite, PostgreSQL: (address: string) => openPostgres(address, { partSize: 10 }) }

describe.each(Object.keys(databases) as (keyof typeof databases)[])('a store in %s', (name) => {
  async function open(): Promise<Sql> {
    const sql = await openStore(await databases[name](), { partSize: 10 })
    onTestFinished(() => sql.close())
    return sql
  }

  it('binds values by their numbers, in any order and as often as they are named', async () => {
    const sql = await open()
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string(), { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(), { minLength: 1, maxLength: 30 }),
        async (values, chosen) => {
          const wanted = [...values.keys(), ...chosen.map((each) => each % values.length)].reverse()
          const text = wanted.map((at, place) => `cast($${at + 1} as text) as c${place}`).join(', ')
          const [row] = await sql.all<Record<string, string>>(`select ${text}`, values)
          // No text of PostgreSQL has a zero character; SQLite ends a text at one.
          const whole = (text: string) => text.split('\0')[0]
          expect(wanted.map((_, place) => row![`c${place}`]!.split('\ufffd')[0])).toEqual(
            wanted.map((at) => whole(values[at]!)!.split('\ufffd')[0]),
          )
        },
      ),
      { numRuns: 40 },
    )
  })

  it('reads aside what takes long: others are answered meanwhile, and mistakes are told', async () => {
    const sql = await open()
    await sql.run("insert into meta (name, value) values ('a', '1')")
    const text =
      'with recursive n (i) as (select 1 union all select i + 1 from n where i < 1000000) select count(*) as count from n'
    const ended: string[] = []
    const long = sql.aside.all<{ count: number }>(text).then((rows) => ended.push(`long ${rows[0]!.count}`))
    const short = sql.all('select 1').then(() => ended.push('short'))
    await Promise.all([long, short])
    expect(ended).toEqual(['short', 'long 1000000'])
    expect(await sql.aside.all('select value from meta where name = $1', ['a'])).toEqual([{ value: '1' }])
    await expect(sql.aside.all('select value from nowhere')).rejects.toThrow('nowhere')
  })

  it('does all of a batch or nothing of it', async () => {
    const sql = await open()
    const add = { sql: 'insert into meta (name, value) values ($1, $2)', values: ['a', '1'] }
    await expect(sql.batch([add, add])).rejects.toThrow()
    expect(await sql.all("select * from meta where name = 'a'")).toEqual([])
    await sql.batch([add])
    expect(await sql.run('update meta set value = $1 where name = $2', ['2', 'a'])).toBe(1)
    const late = { sql: 'update meta set value = $1 where value = $2', values: ['3', 'not so'], must: 1 }
    await expect(sql.batch([{ ...add, values: ['b', '1'] }, late])).rejects.toThrow(Outrun)
    expect(await sql.all("select * from meta where name = 'b'")).toEqual([])
  })

  it.each([2, 40])('writes %i times the same rows together, whatever is in them', async (times) => {
    const sql = await open()
    const texts = ['', 'a,b', '{"x":"\\"}', '"', '\\', '\\N', 'NULL', '\\.', "'; drop table meta; --", 'é\n\t\r', '{}']
    const odd = Array.from({ length: times }, () => texts).flat()
    const rows = (from: number, values: readonly (string | null)[]) => ({
      ...{ table: 'events', columns: ['id', 'entry', 'time', 'type', 'data'], numbers: 2, from },
      rows: values.map((value, at) => [at, at, 1_800_000_000_000, 'odd', value]),
    })
    const last = await numbered(sql, odd.length + 2, (first) => [
      rows(first, odd),
      { sql: 'update counters set value = value where value = $1', values: [first + odd.length + 1], must: 1 },
      rows(first + odd.length, [null, 'b']),
    ])
    const read = await sql.all<{ id: number; entry: number; data: string | null }>('select * from events order by id')
    expect(read.map(({ data }) => data)).toEqual([...odd, null, 'b'])
    expect(read.map(({ id }) => id)).toEqual(read.map((_, at) => last - read.length + 1 + at))
    expect(read.map(({ entry }) => entry)).toEqual(read.map(({ id }) => id))
    const twice = { ...rows(last, odd), numbers: 0 }
    await expect(
      numbered(sql, 1, () => [{ ...twice, rows: twice.rows.map(() => [1, 1, 1, 'twice', 'x']) }]),
    ).rejects.toThrow()
    expect(await sql.all("select * from events where type = 'twice'")).toEqual([])
    expect(await lastNumber(sql)).toBe(last)
  })

  it('lets nobody in between while a transaction is open, and announces what has happened', async () => {
    const sql = await open()
    const said: string[] = []
    sql.onAnnounced((what) => what && said.push(what))
    await sql.run("insert into counters (name, value) values ('c', 0)")
    const add = () =>
      sql.transaction(async (within) => {
        const [row] = await within.all<{ value: number }>(
          "update counters set value = value + 1 where name = 'c' returning value",
        )
        await within.run("update counters set value = $1 where name = 'c'", [row!.value])
      })
    await Promise.all(Array.from({ length: 20 }, add))
    expect(await sql.all("select value from counters where name = 'c'")).toEqual([{ value: 20 }])
    await expect(
      sql.transaction(async (within) => {
        await within.announce('never')
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await expect
      .poll(async () => {
        await sql.transaction(({ announce }) => announce('now'))
        return said
      })
      .toContain('now')
    expect(said).not.toContain('never')
  })

  it('gives out numbers so that they become visible in their order, and makes place for them', async () => {
    const sql = await open()
    const row = (id: number) => ({
      sql: "insert into events (id, time, type, data) values ($1, $2, 'x', '{}')",
      values: [id, id],
    })
    let done = false
    const seen: number[] = []
    const reader = (async () => {
      while (!done) {
        const rows = await sql.all<{ id: number }>('select id from events where id > $1 order by id', [
          seen.at(-1) ?? 0,
        ])
        seen.push(...rows.map(({ id }) => id))
      }
    })()
    const write = (count: number) =>
      numbered(sql, count, (first) => Array.from({ length: count }, (_, at) => row(first + at)))
    await Promise.all([1, 7, 2, 30, 1, 1, 5, 13].map(write))
    await expect(numbered(sql, 2, (first) => [row(first), row(first)])).rejects.toThrow()
    await write(1)
    const last = await lastNumber(sql)
    await expect.poll(() => seen.length).toBeGreaterThanOrEqual(61)
    done = true
    await reader
    expect(seen).toEqual(Array.from({ length: last }, (_, at) => at + 1))
    await sql.forgetUpTo(35)
    expect((await sql.all<{ id: number }>('select min(id) as id from events'))[0]).toEqual({ id: 36 })
  })

  it('counts each decision once, whichever server does, and still knows of those that were forgotten', async () => {
    const sql = await open()
    const columns = 'log part at_offset bytes seq hash time event outcome host project subject mark shown remark'.split(
      ' ',
    )
    const decide = (project: string, mark: string) =>
      numbered(sql, 1, (from) => [
        {
          ...{ table: 'entries', numbers: 1, from },
          columns: ['id', ...columns, 'synthetic', 'failed', 'failed_open'],
          rows: [[0, 'l', 0, 0, 1, 1, 'h', 1, 'e', 'o', 'codex', project, 's', mark, 1, '', 0, 0, 0]],
        },
      ])
    await decide('/one', 'quiet')
    await decide('/two', 'blocked')
    const counted = async () => {
      const totals = openTotals(sql, { keptEvery: 1 })
      const all = (await totals.decisions()).map(({ mark, count }) => `${mark} ${count}`)
      return [all.toSorted(), await totals.projects()]
    }
    expect(await counted()).toEqual([
      ['blocked 1', 'quiet 1'],
      ['/two', '/one'],
    ])
    await sql.forgetUpTo(1)
    await decide('/one', 'blocked')
    expect(await counted()).toEqual([
      ['blocked 2', 'quiet 1'],
      ['/one', '/two'],
    ])
  })

  it.each(Array.from({ length: latest }, (_, at) => at))('goes on from version %i to the latest', async (version) => {
    const address = await databases[name]()
    const old = bare[name](address)
    await migrate(old, version)
    if (version > 0) {
      if (name === 'PostgreSQL') await old.transaction((within) => within.roomFor(1, 9))
      await old.run("insert into events (id, time, type, data) values (7, 1, 'kept', '{}')")
      if (version >= 6) await old.run("update counters set value = 7 where name = 'events'")
      await old.run(
        "insert into questions (id, asked, expires, host, cwd, what, reason, hooks) values ('q', 1, 2, 'h', '/', 'w', 'r', '[]')",
      )
    }
    await old.close()
    // Two servers at once: one waits for the other. In SQLite they would have to be two processes.
    const first = openStore(address)
    if (name === 'SQLite') await first
    const [one, two] = await Promise.all([first, openStore(address)])
    expect(await one.all("select value from meta where name = 'version'")).toEqual([{ value: String(latest) }])
    if (version > 0) {
      expect(await lastNumber(two)).toBe(7)
      expect(await one.all('select id, server from questions')).toEqual([{ id: 'q', server: null }])
    }
    await one.close()
    await two.close()
  })

  it('is whole after processes that were killed in the middle of it, and two that go on at once', async () => {
    const [address, whole] = [await databases[name](), await databases[name]()]
    await (await openStore(whole)).close()
    for (const point of killedAt) expect(await migrating(address, point)).toBe('killed')
    expect(await Promise.all([migrating(address), migrating(address)])).toEqual(['ended', 'ended'])
    expect(await shapeOf(address)).toEqual(await shapeOf(whole))
  })

  async function shapeOf(address: string): Promise<unknown[]> {
    const sql = bare[name](address)
    const rows = await sql.all(
      name === 'SQLite'
        ? 'select name, sql from sqlite_master order by name'
        : `select table_name || ' ' || column_name || ' ' || data_type as shape from information_schema.columns where table_schema = 'public'
            union all select indexdef from pg_indexes where schemaname = 'public' order by 1`,
    )
    await sql.close()
    return rows
  }

  it('is resumed where a step failed, and refuses a store that is newer than itself', async () => {
    const address = await databases[name]()
    const old = bare[name](address)
    await migrate(old, 7)
    // In the way of the eighth step.
    await old.run('create table alerts (id text)')
    await old.close()
    await expect(openStore(address)).rejects.toThrow(/alerts/)
    const between = bare[name](address)
    expect(await between.all("select value from meta where name = 'version'")).toEqual([{ value: '7' }])
    await between.run('drop table alerts')
    await between.close()
    const sql = await openStore(address)
    await sql.run("update meta set value = '999' where name = 'version'")
    await sql.close()
    await expect(openStore(address)).rejects.toThrow(/version 999/)
  })
})

it('a database that cannot be used is an error with what to do, and without its password', async () => {
  const address = new URL(await postgres.database())
  const failure = async (database: string) => {
    const error = await openStore(database, { patienceMs: 0 }).catch((reason: unknown) => reason)
    return { code: (error as { code: string }).code, message: (error as Error).message }
  }
  const nowhere = new URL(address)
  nowhere.port = '1'
  const wrong = new URL(address)
  wrong.password = 'hunter2'
  const missing = new URL(address)
  missing.pathname = '/nothere'
  for (const [given, words] of [
    [nowhere.href, 'ECONNREFUSED'],
    [wrong.href, 'password authentication failed'],
    [missing.href, 'does not exist'],
    ['postgres://some body@:bad:/x', 'Invalid URL'],
  ] as const) {
    const { code, message } = await failure(given)
    expect(code).toBe('database-away')
    expect(message).toContain(words)
    expect(message).toContain('Look whether PostgreSQL runs there')
    expect(message).not.toContain('hunter2')
  }
  writeFileSync(join(root, 'not.db'), 'This is no database, and never was one.'.repeat(100))
  expect(await failure(join(root, 'not.db'))).toMatchObject({ code: 'database-file' })
  expect(await failure(join(root, 'no/such/place.db'))).toMatchObject({ code: 'database-file' })
})

it('a store in PostgreSQL outlives a restart of the database', async () => {
  const own = await startPostgres()
  onTestFinished(() => own.stop())
  const sql = await openStore(await own.database())
  onTestFinished(() => sql.close())
  let returns = 0
  sql.onAnnounced((what) => what === '' && returns++)
  await sql.run("insert into meta (name, value) values ('kept', 'yes')")
  await expect.poll(() => returns).toBe(1)
  await own.kill()
  const asked = sql.all("select value from meta where name = 'kept'")
  await own.start()
  expect(await asked).toEqual([{ value: 'yes' }])
  await expect.poll(() => returns).toBeGreaterThanOrEqual(2)
})

it('what is old goes without a wait for whoever writes, also while somebody reads it for long', async () => {
  const address = await postgres.database()
  const sql = await openStore(address, { partSize: 10 })
  onTestFinished(() => sql.close())
  const write = (count: number) =>
    numbered(sql, count, (from) => [
      {
        ...{ table: 'events', columns: ['id', 'time', 'type'], numbers: 1, from },
        rows: Array.from({ length: count }, (_, at) => [at, 1, 'x']),
      },
    ])
  await write(35)
  const reader = new pg.Client(address)
  await reader.connect()
  await reader.query('begin')
  await reader.query('select 1 from events limit 1')
  const forgetting = sql.forgetUpTo(25)
  for (let times = 0; times < 5; times += 1) await write(10)
  await forgetting
  expect(await sql.all('select min(id) as first, max(id) as last from events')).toEqual([{ first: 26, last: 85 }])
  const oldest = "select to_regclass('events_0') as name"
  expect(await sql.all(oldest)).toEqual([{ name: 'events_0' }])
  await reader.query('commit')
  await reader.end()
  await sql.forgetUpTo(25)
  expect(await sql.all(oldest)).toEqual([{ name: null }])
})

it('a stream gets each event once, also while the store takes its time', async () => {
  const sql = await openStore(join(root, `${files++}.db`))
  onTestFinished(() => sql.close())
  const all: Sql['all'] = async (text, values) => {
    await delay(60)
    return sql.all(text, values)
  }
  const hub = await openHub(Object.create(sql, { all: { value: all } }) as Sql)
  onTestFinished(() => hub.close())
  const outgoing = new PassThrough()
  hub.open(outgoing as unknown as ServerResponse, { after: '0', allowed: async () => true })
  let text = ''
  outgoing.on('data', (chunk: Buffer) => (text += chunk))
  for (const each of ['one', 'two', 'three', 'four', 'five', 'six']) {
    await hub.publish(each, {})
    // Longer than what comes together is gathered.
    await delay(30)
  }
  const heard = () => [...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type)
  await expect.poll(() => heard().at(-1)).toBe('six')
  expect(heard()).toEqual(['one', 'two', 'three', 'four', 'five', 'six'])
})

it('of the servers of one file, those that have ended are forgotten at once, and no other', async () => {
  const sql = await openStore(join(root, `${files++}.db`))
  onTestFinished(() => sql.close())
  const ended = spawnSync(process.execPath, ['--version']).pid
  for (const pid of [process.ppid, ended, process.pid])
    await sql.run(
      `insert into servers (id, name, started, seen) values ($1, 'x', ${sql.dialect.clock}, ${sql.dialect.clock})`,
      [`${pid}-x`],
    )
  const presence = await openPresence(sql)
  const left = (await sql.all<{ id: string }>('select id from servers')).map(({ id }) => id)
  expect(left.sort()).toEqual([`${process.ppid}-x`, presence.id].sort())
  await presence.close()
})
