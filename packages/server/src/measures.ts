import type { Measure } from './metrics.ts'
import { one } from './store/index.ts'
import type { World } from './world.ts'

/** What is known of the server and the journal in figures, for Prometheus and OpenTelemetry alike. */
export async function measuresOf({ sql, index, hub, policies, since, telemetry }: World): Promise<Measure[]> {
  const marks = await sql.all<{ mark: string; host: string; count: number }>(
    'select mark, host, count(*) as count from entries where synthetic = 0 group by mark, host',
  )
  const failed = await one<{ count: number }>(
    sql,
    'select count(*) as count from entries where failed_open > 0 and synthetic = 0',
  )
  const waiting = await one<{ count: number }>(sql, 'select count(*) as count from questions where settled is null')
  const entries = marks.reduce((sum, { count }) => sum + count, 0)
  return [
    { name: 'up_seconds', doc: 'How long the server runs.', value: Math.round((Date.now() - since.getTime()) / 1000) },
    { name: 'resident_bytes', doc: 'Memory of the process.', value: process.memoryUsage.rss() },
    { name: 'journal_entries', doc: 'Entries of the journal in the index.', value: entries },
    ...marks.map(
      ({ mark, host, count }): Measure => ({
        ...{ name: 'decisions_total', doc: 'Decisions by what came of them, and by agent.', value: count },
        ...{ counter: true, labels: { mark, host } },
      }),
    ),
    {
      name: 'failed_open_total',
      doc: 'Guards that failed and stopped nothing.',
      value: failed?.count ?? 0,
      counter: true,
    },
    { name: 'journal_broken', doc: '1: the journal is not as it was written.', value: index.state().broken ? 1 : 0 },
    { name: 'questions_waiting', doc: 'Questions that wait for a person.', value: waiting?.count ?? 0 },
    { name: 'policy_waiting', doc: 'Machines that wait for a new policy.', value: policies.waiting },
    { name: 'streams', doc: 'Open streams of events.', value: hub.streams },
    ...(telemetry()
      ? [{ name: 'otlp_unsent', doc: 'Events that the collector does not have yet.', value: telemetry()!.unsent }]
      : []),
  ]
}
