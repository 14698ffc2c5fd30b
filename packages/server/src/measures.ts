import type { Measure } from './metrics.ts'
import { one } from './store/index.ts'
import type { World } from './world.ts'

/** What is known of the server and the journal in figures, for Prometheus and OpenTelemetry alike. */
export async function measuresOf({ sql, totals, index, hub, policies, since, telemetry }: World): Promise<Measure[]> {
  const marks = await totals.decisions()
  const waiting = await one<{ count: number }>(sql, 'select count(*) as count from questions where settled is null')
  const entries = marks.reduce((sum, { count }) => sum + count, 0)
  return [
    { name: 'up_seconds', doc: 'How long the server runs.', value: Math.round((Date.now() - since.getTime()) / 1000) },
    { name: 'resident_bytes', doc: 'Memory of the process.', value: process.memoryUsage.rss() },
    { name: 'journal_entries', doc: 'Entries that the index has read.', value: entries },
    ...marks.map(
      ({ mark, host, count }): Measure => ({
        ...{ name: 'decisions_total', doc: 'Decisions by what came of them, and by agent.', value: count },
        ...{ counter: true, labels: { mark, host } },
      }),
    ),
    {
      name: 'failed_open_total',
      doc: 'Guards that failed and stopped nothing.',
      value: marks.reduce((sum, { failed_open }) => sum + failed_open, 0),
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
