import { checkLines, type JournalLine, type JournalPosition } from 'hookline/internal'
import { type EntryRows, makeRows } from '../index/index.ts'
import { Outrun, one, openGathered, type Sql, type Statement } from '../store/index.ts'

/** What a machine sends of its journal. */
export interface Batch {
  machine: string
  log: string
  /** The place of the first line. */
  seq: number
  /** Whole lines, as the machine wrote them. */
  bytes: Buffer
  /** What lies before it, the machine no longer has. */
  gap: boolean
  /** Lines that are left on the machine. */
  unsent: number
  /** What time it is there. */
  time: number | undefined
}

export interface Taken {
  /** False: it does not follow from what is here. Nothing of it was taken. */
  taken: boolean
  /** The next line that is wanted. */
  seq: number
}

export interface Ingest {
  /** When it resolves, everything that was taken is in the store, once. */
  take(batch: Batch): Promise<Taken>
  /** How far this journal of the machine is here. */
  position(machine: string, log: string): Promise<number>
  /** The machine was heard of, and has nothing new. */
  saw(machine: string, log: string, time: number): Promise<void>
}

interface Row {
  seq: number
  head: string
  broken_detail: string | null
}

export function openIngest(sql: Sql, onNew: (last: number) => void, now = () => Date.now()): Ingest {
  const rowOf = (machine: string, log: string) =>
    one<Row>(sql, 'select seq, head, broken_detail from machine_logs where machine = $1 and log = $2', [machine, log])

  const write = openGathered(sql)

  async function take(batch: Batch): Promise<Taken> {
    const { machine, log, seq } = batch
    const known = await rowOf(machine, log)
    const wanted = known?.seq ?? 0
    if (seq < wanted || (seq > wanted && !batch.gap)) return { taken: false, seq: wanted }
    const start = startOf(batch, known)
    const { lines, position } = checkLines(batch.bytes, start)
    if (lines.length === 0) return { taken: true, seq: wanted }
    const found = findingsIn(batch, lines, wanted)
    if (!known && seq === 0 && !isFirstOf(log, lines[0]!, batch.bytes)) found.broken ??= { seq, detail: notTheFirst }
    // Made before anybody waits for it.
    const rows = rowsOf(batch, lines)
    try {
      const last = await write(lines.length, (first) => [
        // First of all: of two that send the same, one is taken.
        known ? moveOn(batch, known, position, found) : begin(batch, position, found),
        ...found.gaps.map((gap) => keepGap(batch, gap, now())),
        ...rows.from(first),
      ])
      onNew(last)
    } catch (error) {
      if (error instanceof Outrun) return { taken: false, seq: await nextOf(machine, log) }
      throw error
    }
    return { taken: true, seq: position.seq }
  }

  const nextOf = async (machine: string, log: string) => (await rowOf(machine, log))?.seq ?? 0

  const skewOf = (time: number | undefined) => (time === undefined ? 0 : time - now())

  const begin = (batch: Batch, at: JournalPosition, { entries, missing, broken, lastTime }: Findings): Statement => ({
    sql: `insert into machine_logs (machine, log, seq, head, entries, missing, broken_seq, broken_detail, last_time, received, unsent, skew)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict (machine, log) do nothing`,
    values: [
      ...[batch.machine, batch.log, at.seq, at.head, entries, missing, broken?.seq ?? null, broken?.detail ?? null],
      ...[lastTime, now(), batch.unsent, skewOf(batch.time)],
    ],
    must: 1,
  })

  const moveOn = (
    batch: Batch,
    known: Row,
    at: JournalPosition,
    { entries, missing, broken, lastTime }: Findings,
  ): Statement => ({
    sql: `update machine_logs set seq = $3, head = $4, entries = entries + $5, missing = missing + $6,
      broken_seq = coalesce(broken_seq, $7), broken_detail = coalesce(broken_detail, $8), last_time = coalesce($9, last_time),
      received = $10, unsent = $11, skew = $12 where machine = $1 and log = $2 and seq = $13`,
    values: [
      ...[batch.machine, batch.log, at.seq, at.head, entries, missing, broken?.seq ?? null, broken?.detail ?? null],
      ...[lastTime, now(), batch.unsent, skewOf(batch.time), known.seq],
    ],
    must: 1,
  })

  function rowsOf({ machine, bytes }: Batch, lines: readonly JournalLine[]): EntryRows {
    const rows = makeRows(sql.words, machine)
    lines.forEach((line, at) => {
      const start = line.offset - offsetOf
      rows.keep(at, bytes.toString('utf8', start, start + line.bytes))
      if (line.entry) rows.add(at, { ...line, entry: line.entry })
    })
    return rows
  }

  return {
    take,
    position: nextOf,
    async saw(machine, log, time) {
      await sql.run('update machine_logs set received = $1, skew = $2, unsent = 0 where machine = $3 and log = $4', [
        now(),
        time - now(),
        machine,
        log,
      ])
    },
  }
}

/** Nothing in what was sent stands at the offset 0 of its file, but the first line of a journal that is new here. */
const offsetOf = 1

function startOf({ log, seq, bytes }: Batch, known: Row | undefined): JournalPosition {
  const first = bytes.subarray(0, Math.max(0, bytes.indexOf('\n'))).toString()
  const isContinued = known !== undefined && known.seq === seq
  const head = isContinued ? known.head : (/^\{"seq":\d+,"prev":"([0-9a-f]{64})",/.exec(first)?.[1] ?? '')
  return { log, part: 0, offset: offsetOf, seq, head }
}

const notTheFirst = 'it is not the first line of this journal'

function isFirstOf(log: string, { bytes: length }: JournalLine, bytes: Buffer): boolean {
  const text = bytes.toString('utf8', 0, length)
  return text.includes('"kind":"genesis"') && text.includes(`"log":"${log}"`)
}

interface Findings {
  entries: number
  missing: number
  gaps: { seq: number; missing: number }[]
  broken?: { seq: number; detail: string }
  lastTime: number | null
}

/** What is worth telling of lines that were checked. `wanted` is the one that should have come first. */
function findingsIn({ seq }: Batch, lines: readonly JournalLine[], wanted: number): Findings {
  const entries = lines.filter(({ entry }) => entry !== undefined)
  const broken = lines.find((line) => line.broken !== undefined)
  const gaps = seq > wanted ? [{ seq, missing: seq - wanted }] : []
  lines.forEach((line, at) => {
    const before = lines[at - 1]
    if (before && line.seq > before.seq + 1) gaps.push({ seq: line.seq, missing: line.seq - before.seq - 1 })
  })
  const last = entries.at(-1)?.entry
  return {
    entries: entries.length,
    missing: gaps.reduce((sum, gap) => sum + gap.missing, 0),
    gaps,
    ...(broken?.broken !== undefined && { broken: { seq: broken.seq, detail: broken.broken } }),
    lastTime: last ? Date.parse(last.time) || null : null,
  }
}

const keepGap = (
  { machine, log }: Batch,
  { seq, missing }: { seq: number; missing: number },
  now: number,
): Statement => ({
  sql: `insert into machine_gaps (machine, log, seq, missing, detail, time) values ($1, $2, $3, $4, $5, $6)
    on conflict (machine, log, seq) do nothing`,
  values: [machine, log, seq, missing, 'the machine no longer has them', now],
})
