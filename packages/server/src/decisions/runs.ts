import type { Reading } from '../store/index.ts'

/** What each hook did since then, and how long it took: one pass over its runs. */
export async function runsOfHooks(sql: Reading, since: number): Promise<Map<string, RunsOfHook>> {
  const rows = await sql.all<Omit<RunsOfHook, 'duration_ms'> & { hook: string; hundredths: number | null }>(
    `select hook, cast(duration * 100 + 0.5 as integer) as hundredths, count(*) as runs,
      count(*) filter (where outcome in ('deny', 'halt')) as denied, count(*) filter (where failure is not null) as failures,
      sum(ignored) as failed_open, max(time) as last
      from hook_runs where time >= $1 group by 1, 2 order by 1, 2`,
    [since],
  )
  const byHook = new Map<string, typeof rows>()
  for (const row of rows) {
    const own = byHook.get(row.hook) ?? []
    byHook.set(row.hook, own)
    own.push(row)
  }
  const found = new Map<string, RunsOfHook>()
  for (const [hook, own] of byHook) {
    const steps = own.flatMap(({ hundredths, runs }) => (hundredths === null ? [] : [{ hundredths, count: runs }]))
    const sum = (name: 'runs' | 'denied' | 'failures' | 'failed_open') =>
      own.reduce((total, row) => total + Number(row[name]), 0)
    found.set(hook, {
      ...{ runs: sum('runs'), denied: sum('denied'), failures: sum('failures'), failed_open: sum('failed_open') },
      last: own.reduce((latest, { last }) => Math.max(latest, last), 0),
      duration_ms: percentilesOf(steps),
    })
  }
  return found
}

export interface Percentiles {
  p50: number | null
  p99: number | null
}

export interface RunsOfHook {
  runs: number
  denied: number
  failures: number
  failed_open: number
  last: number
  duration_ms: Percentiles
}

/** How many took how long, the shortest first. */
export function percentilesOf(steps: readonly { hundredths: number; count: number }[]): Percentiles {
  const total = steps.reduce((sum, { count }) => sum + count, 0)
  const at = (share: number): number | null => {
    let counted = 0
    for (const { hundredths, count } of steps) {
      counted += count
      if (counted >= total * share) return hundredths / 100
    }
    return null
  }
  return { p50: at(0.5), p99: at(0.99) }
}
