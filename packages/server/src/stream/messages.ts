import { type Decision, decisionsByIds } from '../decisions/index.ts'
import { groupedBy } from '../grouped.ts'
import type { Sql } from '../store/index.ts'

/** One thing that streams send. Its id is the number of its event, and its place in it: `120`, `120.1`, `120.2`. */
export interface Message {
  event: number
  part: number
  type: string
  session: string | null
  /** As it goes over the wire. */
  text: string
}

/** One thing that happened: what streams and telemetry send. */
export interface Happening {
  event: number
  part: number
  type: string
  session: string | null
  data: unknown
}

export const messagesBetween = async (sql: Sql, after: number, last: number): Promise<Message[]> =>
  (await happeningsBetween(sql, after, last)).map(message)

/** Everything after one number up to another, in order. A decision comes first, then what its hooks did. */
export async function happeningsBetween(sql: Sql, after: number, last: number): Promise<Happening[]> {
  const events = await sql.all<{ id: number; type: string; data: string | null; session: string | null }>(
    "select id, type, data, session from events where id > $1 and id <= $2 and type <> 'decision' order by id",
    [after, last],
  )
  const decisions = await decisionsByIds(sql, after, last)
  const runs = await sql.all<HookRun>(
    'select entry, hook, outcome, duration, failure, ignored from hook_runs where entry > $1 and entry <= $2',
    [after, last],
  )
  const runsOf = groupedBy(runs, ({ entry }) => entry)
  const own = events.map(
    ({ id, type, data, session }): Happening => ({ event: id, part: 0, type, session, data: JSON.parse(data ?? '{}') }),
  )
  const decided = decisions.flatMap((decision): Happening[] => {
    const { id: event, session } = decision
    return [
      { event, part: 0, type: 'decision', session, data: decision },
      ...(runsOf.get(event) ?? [])
        .flatMap((run) => hookEvents(run, decision))
        .map((each, at) => ({ event, part: at + 1, session, ...each })),
    ]
  })
  return [...own, ...decided].sort((one, other) => one.event - other.event || one.part - other.part)
}

interface HookRun {
  entry: number
  hook: string
  outcome: string | null
  duration: number | null
  failure: string | null
  ignored: number
}

/** The same four as in traces (OpenTelemetry), with the same names. */
function hookEvents(run: HookRun, { event, session, tool, reason, time }: Decision): { type: string; data: object }[] {
  const about = { hook_id: run.hook, event, session_id: session, tool_name: tool, time }
  const blocks = run.outcome === 'deny' || run.outcome === 'halt'
  return [
    { type: 'hook.invoked', data: { ...about, matched: true } },
    {
      type: 'hook.completed',
      data: { ...about, outcome: run.outcome, duration_ms: run.duration, failure: run.failure },
    },
    ...(blocks ? [{ type: 'hook.blocked', data: { ...about, reason } }] : []),
    ...(run.failure !== null && run.ignored
      ? [
          {
            type: 'hook.warning',
            data: { ...about, message: `The hook failed (${run.failure}), and nothing was stopped.` },
          },
        ]
      : []),
  ]
}

function message({ event, part, type, session, data }: Happening): Message {
  const id = part === 0 ? String(event) : `${event}.${part}`
  return { event, part, type, session, text: `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n` }
}
