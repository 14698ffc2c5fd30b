import { chmodSync, closeSync, openSync } from 'node:fs'
import Database from 'libsql'
import { openAside } from './aside.ts'
import { partitioned } from './partitions.ts'
import {
  type Change,
  type Dialect,
  insertOf,
  isRows,
  numberedIn,
  Outrun,
  type Queries,
  type Rows,
  type Sql,
  type Value,
  type Words,
} from './sql.ts'
import { asObject, openStatements } from './statements.ts'

/** A file of this user alone. Written so that a killed process loses nothing that was acknowledged. */
export function openSqlite(file: string): Sql {
  if (file !== ':memory:') {
    // Made before it is opened: it must at no time be readable for others.
    closeSync(openSync(file, 'a', 0o600))
    chmodSync(file, 0o600)
  }
  const database = new Database(file)
  database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma busy_timeout = 5000;')
  const prepare = openStatements(database)
  const aside = file === ':memory:' ? undefined : openAside(file)
  const listeners = new Set<(what: string) => void>()
  /** There is one connection: while a transaction is open, everybody else waits. */
  let open: Promise<void> | undefined
  let version = 0
  const rows = (sql: string, values: readonly Value[] = []) => prepare(sql).statement.all([...values]) as Value[][]
  const all = <Row>(sql: string, values?: readonly Value[]) => {
    const { names } = prepare(sql)
    return rows(sql, values).map((row) => asObject(names, row) as Row)
  }
  const run = (sql: string, values: readonly Value[] = []) => prepare(sql).statement.run([...values]).changes
  const runAll = (changes: readonly Change[]) => {
    for (const change of changes) {
      if (isRows(change)) addRows(change)
      else {
        const changed = run(change.sql, change.values)
        if (change.must !== undefined && changed !== change.must) throw new Outrun(change.sql)
      }
    }
  }
  const addRows = (given: Rows) => {
    const text = insertOf(given)
    for (const row of given.rows) run(text, numberedIn(given, row))
  }
  const inside: Queries = {
    all: async (sql, values) => all(sql, values),
    run: async (sql, values) => run(sql, values),
    batch: async (changes) => runAll(changes),
  }
  const sql: Sql = {
    shared: false,
    words,
    dialect,
    async all<Row>(text: string, values?: readonly Value[]) {
      while (open) await open
      return all<Row>(text, values)
    },
    async rows(text, values) {
      while (open) await open
      return rows(text, values)
    },
    async run(text, values) {
      while (open) await open
      return run(text, values)
    },
    lasting: (text, values) => sql.all(text, values),
    async batch(changes) {
      while (open) await open
      database.exec('begin immediate')
      try {
        runAll(changes)
        database.exec('commit')
        version++
      } catch (error) {
        database.exec('rollback')
        throw error
      }
    },
    async transaction(work) {
      while (open) await open
      let done = () => {}
      open = new Promise((resolve) => {
        done = () => {
          open = undefined
          resolve()
        }
      })
      const said: string[] = []
      try {
        database.exec('begin immediate')
        try {
          const result = await work({
            ...inside,
            announce: async (what) => void said.push(what),
            roomFor: async () => {},
          })
          database.exec('commit')
          version++
          return result
        } catch (error) {
          database.exec('rollback')
          said.length = 0
          throw error
        }
      } finally {
        done()
        for (const what of said) for (const each of listeners) each(what)
      }
    },
    get version() {
      return version
    },
    get aside() {
      return aside ?? sql
    },
    onAnnounced: (listener) => void listeners.add(listener),
    // Words stay: a table of words without the text cannot forget one; they lead nowhere then.
    forgetUpTo: (last) =>
      sql.batch(
        Object.entries(partitioned)
          .filter(([table]) => table !== 'entry_text')
          .map(([table, column]) => ({ sql: `delete from ${table} where ${column} <= $1`, values: [last] })),
      ),
    async close() {
      while (open) await open
      await aside?.close()
      database.close()
    },
  }
  return sql
}

const dialect: Dialect = {
  name: 'sqlite',
  define: (text) => text,
  clock: "cast((julianday('now') - 2440587.5) * 86400000 as integer)",
}

const words: Words = {
  of: (body) => body,
  // Newest first from the words onwards: reading ends as soon as there are enough.
  find(wanted, bind) {
    // Quoted: nothing in it is syntax.
    const quoted = wanted.map((word) => `"${word.replaceAll('"', '""')}"`).join(' ')
    return {
      from: `entry_text t cross join entries e on e.id = t.rowid where entry_text match ${bind(`${quoted}*`)}`,
      order: 't.rowid',
    }
  },
}
