import { chmodSync, closeSync, openSync } from 'node:fs'
import Database from 'libsql'
import type { Sql, Statement, Value } from './sql.ts'

type Prepared = ReturnType<InstanceType<typeof Database>['prepare']>
interface Known {
  statement: Prepared
  names: readonly string[]
}

/** A file of this user alone. Written so that a killed process loses nothing that was acknowledged. */
export function openSqlite(file: string): Sql {
  if (file !== ':memory:') {
    // Made before it is opened: it must at no time be readable for others.
    closeSync(openSync(file, 'a', 0o600))
    chmodSync(file, 0o600)
  }
  const database = new Database(file)
  database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma busy_timeout = 5000;')
  const known = new Map<string, Known>()
  const prepare = (sql: string): Known => {
    const found = known.get(sql)
    if (found) return found
    if (known.size >= mostPrepared) known.delete(known.keys().next().value!)
    const statement = database.prepare(numbered(sql))
    const names = statement.columns().map(({ name }) => name)
    // As arrays, rows come twice as fast as in objects of libsql's making.
    if (names.length > 0) statement.raw(true)
    const prepared = { statement, names }
    known.set(sql, prepared)
    return prepared
  }
  const run = (sql: string, values: readonly Value[] = []) => prepare(sql).statement.run([...values]).changes
  return {
    async all<Row>(sql: string, values: readonly Value[] = []) {
      const { statement, names } = prepare(sql)
      return (statement.all([...values]) as Value[][]).map((row) => asObject(names, row) as Row)
    },
    run: async (sql, values) => run(sql, values),
    async batch(statements: readonly Statement[]) {
      database.exec('begin immediate')
      try {
        for (const { sql, values } of statements) run(sql, values)
        database.exec('commit')
      } catch (error) {
        database.exec('rollback')
        throw error
      }
    },
    async close() {
      known.clear()
      database.close()
    },
  }
}

const mostPrepared = 200

function asObject(names: readonly string[], row: readonly Value[]): Record<string, Value> {
  const object: Record<string, Value> = {}
  for (let at = 0; at < names.length; at++) object[names[at]!] = row[at]!
  return object
}

/** libsql takes `$1` for a name and binds by first appearance, which swaps values; `?1` is a number. */
const numbered = (sql: string): string => sql.replace(/\$(\d+)/g, '?$1')
