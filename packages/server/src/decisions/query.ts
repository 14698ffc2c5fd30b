import type { Mark } from 'hookline/internal'
import { type Found, lastNumber, type Sql, type Value } from '../store/index.ts'

/** One decision as lists show it. */
export interface Decision {
  id: number
  seq: number
  time: string
  event: string
  outcome: string
  mark: Mark
  subject: string
  remark: string
  reason: string | null
  host: string
  agent: string | null
  session: string | null
  project: string | null
  tool: string | null
  call: string | null
  duration_ms: number | null
  synthetic: boolean
  failed: boolean
  failed_open: boolean
  /** The machine of the fleet that has sent it; null: it is of this one. */
  machine: string | null
}

/** All that are given must hold. */
export interface DecisionFilter {
  session?: string | undefined
  agent?: string | undefined
  machine?: string | undefined
  host?: string | undefined
  hook?: string | undefined
  rule?: string | undefined
  outcome?: string | undefined
  mark?: string | undefined
  tool?: string | undefined
  project?: string | undefined
  call?: string | undefined
  event?: string | undefined
  text?: string | undefined
  since?: string | undefined
  until?: string | undefined
  failed?: boolean | undefined
  /** Also what nobody looks for: events of which nothing came, and trials. */
  all?: boolean | undefined
}

/** What of an entry makes a decision, in the order in which `asDecision` reads it. */
const columns =
  'e.id, e.seq, e.time, e.event, e.outcome, e.mark, e.subject, e.remark, e.reason, e.host, e.agent, e.session, e.project, e.tool, e.call, e.duration, e.synthetic, e.failed, e.failed_open, e.machine'

export async function findDecisions(
  sql: Sql,
  filter: DecisionFilter,
  { before, after, limit }: { before?: number | undefined; after?: number | undefined; limit: number },
): Promise<Decision[]> {
  const values: Value[] = []
  const bind = (value: Value) => `$${values.push(value)}`
  const wanted = conditions(filter, bind)
  if (before !== undefined) wanted.push(`e.id < ${bind(before)}`)
  if (after !== undefined) wanted.push(`e.id > ${bind(after)}`)
  const { from, order, recent }: Found = filter.text?.trim()
    ? sql.words.find(filter.text.trim().split(/\s+/).slice(0, 20), bind)
    : { from: 'entries e where 1 = 1', order: 'e.id' }
  const most = bind(limit)
  // The newest are found at once; what is narrowed may have to be looked for.
  const reading = Object.values(filter).every((each) => each === undefined) ? sql : sql.aside
  const found = async (by: string, ...more: string[]) =>
    reading.rows(
      `select ${columns} from ${[from, ...wanted, ...more].join(' and ')} order by ${by} desc limit ${most}`,
      values,
    )
  if (!recent) return (await found(order)).map(asDecision)
  const end = Math.min(before ?? Number.MAX_SAFE_INTEGER, (await lastNumber(sql)) + 1)
  const newest = await found(order, `t.rowid >= ${Math.max(0, end - recent.numbers)}`)
  return (newest.length >= limit ? newest : await found(recent.otherwise)).map(asDecision)
}

export async function decisionsByIds(sql: Sql, from: number, to: number): Promise<Decision[]> {
  const rows = await sql.rows(`select ${columns} from entries e where e.id > $1 and e.id <= $2 order by e.id`, [
    from,
    to,
  ])
  return rows.map(asDecision)
}

/** More is not counted. */
const mostSeen = 1_000

/** How often exactly this was decided about. Its words lead there: no index has whole texts. */
export async function timesSeen({ aside, words }: Sql, subject: string): Promise<number> {
  const values: Value[] = []
  const bind = (value: Value) => `$${values.push(value)}`
  const { from } = words.find(subject.split(/\s+/).slice(0, 20), bind)
  const text = `select 1 from ${from} and e.subject = ${bind(subject)} and e.shown = 1 limit ${mostSeen}`
  return (await aside.all(text, values)).length
}

/** Of a filter, what the rest of a `where` says. */
export function conditions(filter: DecisionFilter, bind: (value: Value) => string): string[] {
  const equal = (column: string, value: string | undefined) =>
    value === undefined ? [] : [`e.${column} = ${bind(value)}`]
  const { hook, rule, since, until, failed, all } = filter
  return [
    ...equal('session', filter.session),
    ...equal('agent', filter.agent),
    ...equal('machine', filter.machine),
    ...equal('host', filter.host),
    ...equal('outcome', filter.outcome),
    ...equal('mark', filter.mark),
    ...equal('tool', filter.tool),
    ...equal('project', filter.project),
    ...equal('call', filter.call),
    ...equal('event', filter.event),
    ...(hook === undefined ? [] : [`e.id in (select entry from hook_runs where hook = ${bind(hook)})`]),
    ...(rule === undefined ? [] : [`e.id in (select entry from rule_matches where rule = ${bind(rule)})`]),
    ...(since === undefined ? [] : [`e.time >= ${bind(Date.parse(since))}`]),
    ...(until === undefined ? [] : [`e.time < ${bind(Date.parse(until))}`]),
    ...(failed === undefined ? [] : [`e.failed = ${failed ? 1 : 0}`]),
    ...(all ? [] : ['e.shown = 1']),
  ]
}

/** By place, and name by name: it is made for every row of every list. */
const asDecision = (row: readonly Value[]): Decision => ({
  id: row[0] as number,
  seq: row[1] as number,
  time: new Date(row[2] as number).toISOString(),
  event: row[3] as string,
  outcome: row[4] as string,
  mark: row[5] as Mark,
  subject: row[6] as string,
  remark: row[7] as string,
  reason: row[8] as string | null,
  host: row[9] as string,
  agent: row[10] as string | null,
  session: row[11] as string | null,
  project: row[12] as string | null,
  tool: row[13] as string | null,
  call: row[14] as string | null,
  duration_ms: row[15] as number | null,
  synthetic: row[16] === 1,
  failed: row[17] === 1,
  failed_open: row[18] === 1,
  machine: row[19] as string | null,
})
