import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { type JournalPosition, type JournalRun, readJournalFrom } from 'hookline/internal'
import { numbered, Outrun, one, type Sql, type Statement } from '../store/index.ts'
import { makeRows } from './row.ts'

/** The store's index of the journal, which reads along with it. The journal stays the truth: the index can be made anew. */
export interface JournalIndex {
  readonly file: string
  /** Reads what was written since; resolves when all of it is in the index. */
  catchUp(): Promise<void>
  /** How far it is. */
  state(): IndexState
  close(): Promise<void>
}

export interface IndexState {
  /** How many entries it has read since it was opened. */
  read: number
  /** The first thing in the journal that is not as it was written. */
  broken?: { seq: number; detail: string }
  lastError?: string
}

export interface IndexOptions {
  sql: Sql
  file: string
  /** Called after each step, with the number of the last event. */
  onNew(last: number): void
  pollMs?: number
}

export async function openIndex({ sql, file, onNew, pollMs = 100 }: IndexOptions): Promise<JournalIndex> {
  // In a store of several machines, each has its own journal under the same path.
  const name = sql.shared ? `${hostname()}:${file}` : file
  let position: JournalPosition | undefined
  /** The journal that was read last: it may be known under another name. */
  let tried: string | undefined
  const state: IndexState = { read: 0 }
  await lookUp()
  const closing = new AbortController()
  let step: Promise<void> = Promise.resolve()

  const catchUp = (): Promise<void> => {
    step = step.then(readOn)
    return step
  }
  const polling = poll()

  async function lookUp(log = ''): Promise<void> {
    const text = 'select * from journals where file = $1 or log = $2 order by case log when $2 then 0 else 1 end'
    const known = await one<JournalRow>(sql, text, [name, log])
    position = known && positionOf(known)
    if (known?.broken_detail != null) state.broken = { seq: known.broken_seq ?? 0, detail: known.broken_detail }
  }

  async function readOn(): Promise<void> {
    try {
      for await (const run of readJournalFrom(file, position)) {
        if (closing.signal.aborted) return
        await take(run)
      }
      delete state.lastError
    } catch (error) {
      // Another server follows the same journal, or the last step was written and its answer lost: on from where the store is.
      await lookUp(tried).catch(() => {})
      if (error instanceof Outrun) return
      state.lastError = error instanceof Error ? error.message : String(error)
    }
  }

  /** In one step: its rows, what streams send, and how far it is now. */
  async function take({ lines, position: reached }: JournalRun): Promise<void> {
    const rows = makeRows(sql.words)
    let count = 0
    tried = reached.log
    if (reached.log !== position?.log) delete state.broken
    for (const line of lines) {
      if (line.broken !== undefined) state.broken ??= { seq: line.seq, detail: line.broken }
      if (line.entry) rows.add(count++, { ...line, entry: line.entry })
    }
    const last = await numbered(sql, count, (first) => [
      // First of all: with another that follows the same journal, one of the two writes.
      forget(name, reached.log),
      keep(name, position, reached, state.broken),
      ...rows.from(first),
    ])
    position = reached
    state.read += count
    if (count > 0) onNew(last)
  }

  async function poll(): Promise<void> {
    while (!closing.signal.aborted) {
      await catchUp()
      await delay(pollMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  return {
    file,
    catchUp,
    state: () => state,
    async close() {
      closing.abort()
      await polling
      await step
    },
  }
}

interface JournalRow {
  log: string
  part: number
  at_offset: number
  seq: number
  head: string
  broken_seq: number | null
  broken_detail: string | null
}

const positionOf = ({ log, part, at_offset: offset, seq, head }: JournalRow): JournalPosition => ({
  ...{ log, part, offset, seq, head },
})

/** A journal that somebody began anew is another one. */
const forget = (file: string, log: string): Statement => ({
  sql: 'delete from journals where file = $1 and log <> $2',
  values: [file, log],
})

/** Only from where it was: whoever is behind changes nothing. */
const keep = (
  file: string,
  from: JournalPosition | undefined,
  at: JournalPosition,
  broken: IndexState['broken'],
): Statement => ({
  sql: `insert into journals (log, file, part, at_offset, seq, head, broken_seq, broken_detail)
    values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict (log) do update set file = excluded.file, part = excluded.part, at_offset = excluded.at_offset,
      seq = excluded.seq, head = excluded.head, broken_seq = excluded.broken_seq, broken_detail = excluded.broken_detail
      where journals.part = $9 and journals.at_offset = $10`,
  values: [
    ...[at.log, file, at.part, at.offset, at.seq, at.head, broken?.seq ?? null, broken?.detail ?? null],
    ...(from?.log === at.log ? [from.part, from.offset] : [-1, -1]),
  ],
  must: 1,
})
