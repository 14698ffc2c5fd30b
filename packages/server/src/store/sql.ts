/** What is bound to a placeholder. */
export type Value = string | number | null

/** One statement: placeholders are `$1`, `$2` …, in any order, as often as wanted. */
export interface Statement {
  sql: string
  values?: readonly Value[]
}

/** The one way to the store, whatever it is. Nobody else knows which database it is. */
export interface Sql {
  all<Row>(sql: string, values?: readonly Value[]): Promise<Row[]>
  /** Gives back how many rows it changed. */
  run(sql: string, values?: readonly Value[]): Promise<number>
  /** All of them or none, with nothing of others in between. */
  batch(statements: readonly Statement[]): Promise<void>
  close(): Promise<void>
}

export async function one<Row>(sql: Sql, text: string, values: readonly Value[] = []): Promise<Row | undefined> {
  return (await sql.all<Row>(text, values))[0]
}
