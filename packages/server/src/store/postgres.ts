import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { groupedBy } from '../grouped.ts'
import { cleaned, copyRows } from './copy.ts'
import { forgetParts, makeParts, partitioned } from './partitions.ts'
import {
  type Change,
  type Dialect,
  insertOf,
  isRows,
  numberedIn,
  Outrun,
  type Rows,
  type Sql,
  type Statement,
  type Value,
  type Within,
  type Words,
} from './sql.ts'

export interface PostgresOptions {
  /** How many connections at most. */
  connections?: number
  /** How long to wait for a database that cannot be reached, before a query fails. */
  patienceMs?: number
  /** How many numbers a part of a table holds. */
  partSize?: number
}

const channel = 'hookline'

/** An expression that says this text, itself one, to every server: in one statement with what it is about. */
export const announcing = (text: string): string => `pg_notify('${channel}', ${text})::text`

/** COPY takes one round trip more, and pays from so many rows on. */
const fewest = 4
/** A PostgreSQL that any number of servers may use. A database that restarts is waited for. */
export function openPostgres(address: string, options: PostgresOptions = {}): Sql {
  const { connections = 10, patienceMs = 15_000, partSize = 2_000_000 } = options
  const settings = { connectionString: address, types: { getTypeParser }, application_name: 'hookline' }
  const pool = surviving(new pg.Pool({ ...settings, max: connections, connectionTimeoutMillis: patienceMs }))
  const listening = listen(settings)
  /** Up to here there are parts. */
  let ceiling = -1

  async function connect(): Promise<pg.PoolClient> {
    const until = Date.now() + patienceMs
    for (;;) {
      try {
        return await pool.connect()
      } catch (error) {
        if (!isAway(error) || Date.now() > until) throw error
        await delay(100)
      }
    }
  }

  /** With a connection of its own; one that broke is not used again. */
  async function using<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await connect()
    let broken = false
    try {
      return await work(client)
    } catch (error) {
      broken = isAway(error)
      throw error
    } finally {
      client.release(broken)
    }
  }

  async function reading<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    // What only reads may be done again.
    const patience = /^\s*select\b/i.test(text) ? patienceMs : 0
    return again(patience, (client) => client.query(text, bound(values)))
  }

  async function again<Row>(
    patience: number,
    query: (client: pg.PoolClient) => Promise<pg.QueryResult>,
  ): Promise<Row[]> {
    const until = Date.now() + patience
    for (;;) {
      try {
        return await using(async (client) => (await query(client)).rows as Row[])
      } catch (error) {
        if (!isAway(error) || Date.now() >= until) throw error
        await delay(100)
      }
    }
  }

  const run = (text: string, values: readonly Value[] = []) =>
    using(async (client) => (await client.query(text, bound(values))).rowCount ?? 0)

  const rows = async (text: string, values?: readonly Value[]) =>
    (await reading<Record<string, Value>>(text, values)).map((row) => Object.values(row))

  async function transaction<T>(work: (within: Within) => Promise<T>): Promise<T> {
    return using(async (client) => {
      await client.query('begin')
      try {
        const made = { upTo: ceiling }
        const result = await work(inside(client, made))
        await client.query('commit')
        ceiling = Math.max(ceiling, made.upTo)
        return result
      } catch (error) {
        if (!isAway(error)) await client.query('rollback')
        throw error
      }
    })
  }

  function inside(client: pg.PoolClient, made: { upTo: number }): Within {
    const run = async (text: string, values: readonly Value[] = []) =>
      (await client.query(text, bound(values))).rowCount ?? 0
    const within: Within = {
      all: async <Row>(text: string, values: readonly Value[] = []) =>
        (await client.query(text, bound(values))).rows as Row[],
      run,
      async batch(changes) {
        for (const group of groupsOf(changes)) {
          if (Array.isArray(group)) await addRows(client, group)
          else {
            const changed = await run(group.sql, group.values)
            if (group.must !== undefined && changed !== group.must) throw new Outrun(group.sql)
          }
        }
      },
      async announce(what) {
        await client.query('select pg_notify($1, $2)', [channel, what])
      },
      async roomFor(first, last) {
        if (last > made.upTo) made.upTo = await makeParts(within, first, last, partSize)
      },
    }
    return within
  }

  return {
    shared: true,
    words,
    dialect,
    version: undefined,
    aside: { all: reading, rows },
    all: reading,
    rows,
    run,
    batch: (changes) => transaction(({ batch }) => batch(changes)),
    lasting: (text, values = []) =>
      again(Number.POSITIVE_INFINITY, (client) =>
        client.query({ name: nameOf(text), text, values: bound(values) as unknown[] }),
      ),
    transaction,
    onAnnounced: listening.on,
    forgetUpTo: (last) => forgetParts({ all: reading, run, transaction }, last),
    async close() {
      await listening.close()
      await pool.end()
    },
  }
}

/**
 * A pool whose process outlives its database. A connection that breaks while nobody uses it is replaced by the next that is needed; and
 * one that breaks in the moment in which it is handed over, when neither side looks after it yet, ends nothing either.
 */
export function surviving(pool: pg.Pool): pg.Pool {
  pool.on('error', ignore)
  return pool.on('connect', (client) => client.on('error', ignore))
}

async function addRows(client: pg.PoolClient, all: readonly Rows[]): Promise<void> {
  const count = all.reduce((sum, { rows }) => sum + rows.length, 0)
  if (count >= fewest) return copyRows(client, all)
  for (const each of all) for (const row of each.rows) await client.query(insertOf(each), bound(numberedIn(each, row)))
}

/** Rows for one table that follow one another, in whatever mixture, are written together; the rest stays where it is. */
function groupsOf(changes: readonly Change[]): (Statement | Rows[])[] {
  const groups: (Statement | Rows[])[] = []
  let gathered: Rows[] = []
  const together = () => groupedBy(gathered, ({ table, columns }) => `${table} ${columns.join()}`).values()
  for (const change of changes) {
    if (!isRows(change)) {
      groups.push(...together(), change)
      gathered = []
    } else if (change.rows.length > 0) gathered.push(change)
  }
  return [...groups, ...together()]
}

/** One connection that hears what others announce; it comes back by itself. */
function listen(settings: pg.ClientConfig) {
  const listeners = new Set<(what: string) => void>()
  const closing = new AbortController()
  let client: pg.Client | undefined
  const tell = (what: string) => {
    for (const each of listeners) each(what)
  }

  async function listenOnce(): Promise<void> {
    const opened = new pg.Client({ ...settings, keepAlive: true, connectionTimeoutMillis: 10_000 })
    const ended = new Promise<void>((resolve) => opened.once('end', resolve).on('error', () => resolve()))
    client = opened
    opened.on('notification', ({ payload = '' }) => tell(payload))
    await opened.connect()
    await opened.query(`listen ${channel}`)
    tell('')
    // Its socket is gone with it: there is nothing left to close.
    await ended
  }

  async function follow(): Promise<void> {
    while (!closing.signal.aborted) {
      await listenOnce().catch(ignore)
      await delay(200, undefined, { signal: closing.signal }).catch(ignore)
    }
  }

  let following: Promise<void> | undefined
  return {
    on(listener: (what: string) => void) {
      listeners.add(listener)
      following ??= follow()
    },
    async close() {
      closing.abort()
      client?.end().catch(ignore)
      await Promise.race([following, delay(1_000)])
    },
  }
}

const ignore = () => {}

const names = new Map<string, string>()

/** By its name a statement is planned once for each connection. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `hookline_${names.size}`
  names.set(text, name)
  return name
}

/** The database is gone, going or not there yet, or has cut the connection, as opposed to: it refuses. */
export function isAway(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|57P0|08|25P03|53300)/.test(code) ||
    /Connection terminated|connection error|timeout exceeded when trying to connect|not queryable/i.test(message)
  )
}

const bound = (values: readonly Value[]): Value[] =>
  values.map((value) => (typeof value === 'string' ? cleaned(value) : value))

/** Counts, numbers of rows and times are all well below 2^53. */
const numeric = new Set<number>([20, 21, 23, 700, 701, 1700])
const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  numeric.has(oid) ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser

const dialect: Dialect = {
  name: 'postgres',
  // Times are in milliseconds, more than an `integer` of PostgreSQL holds.
  define(text) {
    const typed = text.replace(/\binteger\b/g, 'bigint').replace(/\breal\b/g, 'double precision')
    const table = /^create table (\w+)/.exec(typed)?.[1] ?? ''
    return partitioned[table] ? `${typed} partition by range (${partitioned[table]})` : typed
  },
  clock: '(extract(epoch from clock_timestamp()) * 1000)::bigint',
  lock: 'select pg_advisory_xact_lock(4665)',
}

/** Letters, digits, `-` and `_` make words, as in the tokens of SQLite's table of words; PostgreSQL's own reading of paths and addresses finds no parts of them. */
const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}\p{M}_-]+/gu) ?? []

const recentNumbers = 20_000

const words: Words = {
  // Nothing in such words is syntax of a `tsvector`.
  of: (body) => [...new Set(wordsIn(body))].map((word) => word.slice(0, 200)).join(' '),
  find(wanted, bind) {
    const found = wordsIn(wanted.join(' '))
    // All of it are signs: they are in no word.
    if (found.length === 0) return { from: 'entries e where false', order: 'e.id' }
    const query = found.map((word, at) => `'${word.slice(0, 200)}'${at === found.length - 1 ? ':*' : ''}`).join(' & ')
    return {
      from: `entry_text t join entries e on e.id = t.rowid where t.body @@ ${bind(query)}::tsquery`,
      order: 't.rowid',
      recent: { numbers: recentNumbers, otherwise: '(t.rowid + 0)' },
    }
  },
}
