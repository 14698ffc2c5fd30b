import { dirname, join } from 'node:path'
import { HooklineError, makeDirectory, note } from 'hookline/internal/start'
import type { PostgresOptions } from './postgres.ts'
import { migrate } from './schema.ts'
import type { Sql } from './sql.ts'
import { openSqlite } from './sqlite.ts'

export { openGathered, type Write } from './gathered.ts'
export { lastNumber, numbered } from './numbered.ts'
export { leftBehind, openPresence, type Presence } from './presence.ts'
export {
  type Change,
  type Found,
  Outrun,
  one,
  type Queries,
  type Reading,
  type Rows,
  type Sql,
  type Statement,
  type Value,
  type Within,
  type Words,
} from './sql.ts'

/**
 * The store at this address: a file of SQLite, or a PostgreSQL. It holds an index of the journal, which can be made anew; who may sign in; and what
 * other machines have sent.
 */
export async function openStore(database: string, options: PostgresOptions = {}): Promise<Sql> {
  let sql: Sql | undefined
  try {
    sql = await openedAt(database, options)
    await migrate(sql)
    return sql
  } catch (error) {
    await sql?.close()
    throw error instanceof HooklineError ? error : unusable(database, error)
  }
}

/** What to do about it is more than what went wrong. The address may hold a password, and is not told. */
function unusable(database: string, error: unknown): HooklineError {
  const { message = '', code } = error as { message?: string; code?: string }
  const detail = (message || code || String(error)).replace(/\.$/, '')
  return new HooklineError(
    isPostgres(database) ? note('database-away', { detail }) : note('database-file', { file: database, detail }),
  )
}

/** Its driver is loaded where there is one. */
async function openedAt(database: string, options: PostgresOptions): Promise<Sql> {
  if (!isPostgres(database)) return openSqlite(database)
  return (await import('./postgres.ts')).openPostgres(database, options)
}

export const isPostgres = (database: string): boolean => /^postgres(ql)?:\/\//.test(database)

/** Where the store is, unless somebody says otherwise. */
export const usualDatabase = (dataDirectory: string): string => join(ownDirectory(dataDirectory), 'index.db')

/** Where a server keeps files of its own: beside its store, or where it would be. */
export const filesFor = (database: string, dataDirectory: string): string =>
  isPostgres(database) ? ownDirectory(dataDirectory) : dirname(database)

function ownDirectory(dataDirectory: string): string {
  const directory = join(dataDirectory, 'server')
  makeDirectory(directory)
  return directory
}
