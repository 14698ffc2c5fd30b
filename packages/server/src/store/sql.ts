/** What is bound to a placeholder. */
export type Value = string | number | null

/** One statement: placeholders are `$1`, `$2` …, in any order, as often as wanted. */
export interface Statement {
  sql: string
  values?: readonly Value[]
  /** So many rows it must change; else it throws `Outrun`, and nothing of its transaction happens. */
  must?: number
}

/** Many rows for one table, written together. */
export interface Rows {
  table: string
  columns: readonly string[]
  rows: readonly (readonly Value[])[]
  /** So many columns, the first ones, are numbers that count from `from` on. */
  numbers: number
  from: number
}

export type Change = Statement | Rows
export const isRows = (change: Change): change is Rows => 'rows' in change

export const insertOf = ({ table, columns }: Rows): string =>
  `insert into ${table} (${columns.join(', ')}) values (${columns.map((_, at) => `$${at + 1}`).join(', ')})`

/** One of its rows, with the numbers that it gets. */
export const numberedIn = ({ numbers, from }: Rows, row: readonly Value[]): Value[] =>
  row.map((value, at) => (at < numbers ? (value as number) + from : value))

export interface Queries extends Pick<Reading, 'all'> {
  /** Gives back how many rows it changed. */
  run(sql: string, values?: readonly Value[]): Promise<number>
  /** All of them or none, with nothing of others in between. */
  batch(changes: readonly Change[]): Promise<void>
}

export interface Reading {
  all<Row>(sql: string, values?: readonly Value[]): Promise<Row[]>
  /** Each row as its values, in the order of the columns: long lists are made of them faster. */
  rows(sql: string, values?: readonly Value[]): Promise<Value[][]>
}

/** Inside of a transaction. */
export interface Within extends Queries {
  /** Said to every server that uses the store, this one included, when the transaction has happened; never if it has not. */
  announce(what: string): Promise<void>
  /** Makes place for rows with these numbers. */
  roomFor(first: number, last: number): Promise<void>
}

/** The one way to the store, whatever it is. Nobody else knows which database it is. */
export interface Sql extends Queries, Reading {
  /** Whether servers elsewhere may use the same store. */
  readonly shared: boolean
  readonly words: Words
  readonly dialect: Dialect
  /** Another one after every batch and transaction; undefined: servers elsewhere may have written as well. */
  readonly version: number | undefined
  /** For what may read much: it keeps nobody else waiting. It sees what has happened, nothing of a transaction that is open. */
  readonly aside: Reading
  /** A statement that may be done again, of a few that come often: a store that is away is waited for, however long. */
  lasting<Row>(sql: string, values?: readonly Value[]): Promise<Row[]>
  /** All of it or none, with nothing of others in between. One that throws has changed nothing. */
  transaction<T>(work: (within: Within) => Promise<T>): Promise<T>
  /** Also called with '' after the store was out of reach: what was announced meanwhile is lost. */
  onAnnounced(listener: (what: string) => void): void
  /** Removes what has a number up to this one. */
  forgetUpTo(last: number): Promise<void>
  close(): Promise<void>
}

/** How words are found. */
export interface Words {
  /** What the table of words holds for this text, in its column `body`. */
  of(body: string): string
  /** A source of `entries e` that have all these words, the last one from its beginning; `order` is what to sort it by. */
  find(words: readonly string[], bind: (value: Value) => string): Found
}

export interface Found {
  from: string
  order: string
  /**
   * Where the newest are found by going back from the end, which is quick for common words and endless for rare ones: at first only so many numbers back,
   * and where that is not enough, by this order, for which all that have the words are collected.
   */
  recent?: { numbers: number; otherwise: string }
}

/** How tables are made. */
export interface Dialect {
  name: 'sqlite' | 'postgres'
  define(text: string): string
  /** The time there, in milliseconds: one clock for all servers, whatever their own say. */
  clock: string
  /** Waits until nobody else changes the tables; until the end of the transaction, nobody does. */
  lock?: string
}

/** Somebody else was quicker: what was read before no longer holds. */
export class Outrun extends Error {}

export async function one<Row>(
  sql: Pick<Reading, 'all'>,
  text: string,
  values: readonly Value[] = [],
): Promise<Row | undefined> {
  return (await sql.all<Row>(text, values))[0]
}
