import { setTimeout as delay } from 'node:timers/promises'
import { type JournalPosition, type JournalRun, readJournalFrom } from 'hookline/internal'
import { one, type Sql, type Statement } from '../store/index.ts'
import { rowsFor } from './row.ts'

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
  /** Numbers for what streams send; shared with whatever else they send. */
  nextId(): number
  /** Called after each step, with the number of the last event. */
  onNew(last: number): void
  pollMs?: number
}

export async function openIndex({ sql, file, nextId, onNew, pollMs = 100 }: IndexOptions): Promise<JournalIndex> {
  const known = await one<JournalRow>(sql, 'select * from journals where file = $1', [file])
  let position: JournalPosition | undefined = known && positionOf(known)
  const state: IndexState = { read: 0 }
  if (known?.broken_detail != null) state.broken = { seq: known.broken_seq ?? 0, detail: known.broken_detail }
  const closing = new AbortController()
  let step: Promise<void> = Promise.resolve()

  const catchUp = (): Promise<void> => {
    step = step.then(readOn)
    return step
  }
  const polling = poll()

  async function readOn(): Promise<void> {
    try {
      for await (const run of readJournalFrom(file, position)) {
        if (closing.signal.aborted) return
        await take(run)
      }
      delete state.lastError
    } catch (error) {
      state.lastError = error instanceof Error ? error.message : String(error)
    }
  }

  /** In one step: its rows, what streams send, and how far it is now. */
  async function take({ lines, position: reached }: JournalRun): Promise<void> {
    const statements: Statement[] = []
    let last = 0
    if (reached.log !== position?.log) delete state.broken
    for (const line of lines) {
      if (line.broken !== undefined) state.broken ??= { seq: line.seq, detail: line.broken }
      if (!line.entry) continue
      last = nextId()
      statements.push(...rowsFor(last, { ...line, entry: line.entry }))
      state.read++
    }
    await sql.batch([...statements, forget(file, reached.log), keep(file, reached, state.broken)])
    position = reached
    if (last > 0) onNew(last)
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

const keep = (file: string, at: JournalPosition, broken: IndexState['broken']): Statement => ({
  sql: `insert into journals (log, file, part, at_offset, seq, head, broken_seq, broken_detail)
    values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict (log) do update set file = excluded.file, part = excluded.part, at_offset = excluded.at_offset,
      seq = excluded.seq, head = excluded.head, broken_seq = excluded.broken_seq, broken_detail = excluded.broken_detail`,
  values: [at.log, file, at.part, at.offset, at.seq, at.head, broken?.seq ?? null, broken?.detail ?? null],
})
