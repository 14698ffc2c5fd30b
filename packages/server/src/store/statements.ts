import type Database from 'libsql'
import type { Value } from './sql.ts'

type Opened = InstanceType<typeof Database>

export interface Known {
  statement: ReturnType<Opened['prepare']>
  /** Of the columns; none: it gives back no rows. */
  names: readonly string[]
}

const most = 200

/** Statements of one connection, each prepared once. */
export function openStatements(database: Opened): (sql: string) => Known {
  const known = new Map<string, Known>()
  return (sql) => {
    const found = known.get(sql)
    if (found) return found
    if (known.size >= most) known.delete(known.keys().next().value!)
    const statement = database.prepare(numbered(sql))
    const names = statement.columns().map(({ name }) => name)
    // As arrays, rows come twice as fast as in objects of libsql's making.
    if (names.length > 0) statement.raw(true)
    const prepared = { statement, names }
    known.set(sql, prepared)
    return prepared
  }
}

export function asObject(names: readonly string[], row: readonly Value[]): Record<string, Value> {
  const object: Record<string, Value> = {}
  for (let at = 0; at < names.length; at++) object[names[at]!] = row[at]!
  return object
}

/** libsql takes `$1` for a name and binds by first appearance, which swaps values; `?1` is a number. */
const numbered = (sql: string): string => sql.replace(/\$(\d+)/g, '?$1')
