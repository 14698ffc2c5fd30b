/**
 * A thread of the server that only reads the store.
 * @module
 */
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'libsql'
import type { Value } from './sql.ts'
import { openStatements } from './statements.ts'

export interface Asked {
  id: number
  sql: string
  values: Value[]
}

export type Told = { id: number; names: readonly string[]; rows: Value[][] } | { id: number; error: string }

const prepare = openStatements(new Database(workerData as string, { readonly: true }))

parentPort!.on('message', ({ id, sql, values }: Asked) => {
  const tell = (told: Told) => parentPort!.postMessage(told)
  try {
    const { statement, names } = prepare(sql)
    tell({ id, names, rows: statement.all(values) as Value[][] })
  } catch (error) {
    tell({ id, error: error instanceof Error ? error.message : String(error) })
  }
})
