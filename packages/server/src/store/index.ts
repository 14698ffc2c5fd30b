import { join } from 'node:path'
import { makeDirectory } from 'hookline/internal'
import { migrate } from './schema.ts'
import type { Sql } from './sql.ts'
import { openSqlite } from './sqlite.ts'

export { one, type Sql, type Statement, type Value } from './sql.ts'

/** The store at this address: a file of SQLite. It holds an index of the journal, which can be made anew, and who may sign in. */
export async function openStore(database: string): Promise<Sql> {
  const sql = openSqlite(database)
  await migrate(sql)
  return sql
}

/** Where the store is, unless somebody says otherwise. */
export function usualDatabase(dataDirectory: string): string {
  const directory = join(dataDirectory, 'server')
  makeDirectory(directory)
  return join(directory, 'index.db')
}
