import { one, type Reading, type Sql } from '../store/index.ts'
import { type Percentiles, percentilesOf } from './runs.ts'

export interface Span {
  since: number
  until: number
}

const wanted = 'time >= $1 and time < $2 and synthetic = 0 and shown = 1'

/** What happened in a span of time, counted. */
export async function statsOf({ aside: sql }: Sql, { since, until }: Span) {
  const span = [since, until]
  // In one pass: grouping is what takes long.
  const counts = await sql.all<Counted>(
    `select mark, host, project, agent, count(*) as count, sum(failed_open) as failed_open, max(time) as last
      from entries where ${wanted} group by host, project, agent, mark`,
    span,
  )
  const hooks = await sql.all<HookStats>(
    `select hook, count(*) as runs, count(*) filter (where shadow = 0 and outcome in ('deny', 'halt')) as denied, count(*) filter (where shadow = 0 and outcome = 'ask') as asked,
      count(*) filter (where shadow = 0 and outcome = 'allow') as allowed, count(*) filter (where failure is not null) as failures, sum(ignored) as failed_open, max(time) as last
      from hook_runs where time >= $1 and time < $2 group by hook order by runs desc limit 200`,
    span,
  )
  const rules = await sql.all<RuleStats>(
    `select rule, count(*) as matches, count(*) filter (where outcome in ('deny', 'halt')) as denied, count(*) filter (where outcome = 'ask') as asked,
      count(*) filter (where outcome = 'allow') as allowed, max(time) as last
      from rule_matches where time >= $1 and time < $2 and shadow = 0 group by rule order by matches desc limit 200`,
    span,
  )
  const answered = await one<{ count: number; ms: number | null }>(
    sql,
    `select count(*) as count, avg(settled - asked) as ms from questions where asked >= $1 and asked < $2 and answer is not null`,
    span,
  )
  const decisions: Record<string, number> = {}
  for (const { mark, count } of counts) decisions[mark] = (decisions[mark] ?? 0) + count
  return {
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    decisions,
    failed_open: decisions['failed'] ?? 0,
    duration_ms: await percentiles(sql, { since, until }),
    usage: await usageOf(sql, { since, until }),
    answered: { count: answered?.count ?? 0, mean_ms: answered?.ms ?? null },
    hosts: timed(groupsBy(counts, 'host')),
    projects: timed(groupsBy(counts, 'project')),
    agents: timed(groupsBy(counts, 'agent')),
    hooks: timed(hooks),
    rules: timed(rules),
  }
}

interface Counted {
  mark: string
  host: string
  project: string | null
  agent: string | null
  count: number
  failed_open: number
  last: number
}

const mostGroups = 100

function groupsBy(counts: readonly Counted[], column: 'host' | 'project' | 'agent') {
  const groups = new Map<string, ReturnType<typeof emptyGroup>>()
  for (const { mark, count, failed_open, last, [column]: name } of counts) {
    if (name === null) continue
    const own = groups.get(name) ?? emptyGroup(name)
    groups.set(name, own)
    own.count += count
    if (mark === 'blocked') own.blocked += count
    if (mark === 'asked') own.asked += count
    own.failed_open += failed_open
    own.last = Math.max(own.last, last)
  }
  return [...groups.values()].sort((one, other) => other.count - one.count).slice(0, mostGroups)
}

const emptyGroup = (name: string) => ({ name, count: 0, blocked: 0, asked: 0, failed_open: 0, last: 0 })

interface HookStats {
  hook: string
  runs: number
  denied: number
  asked: number
  allowed: number
  failures: number
  failed_open: number
  last: number
}

interface RuleStats {
  rule: string
  matches: number
  denied: number
  asked: number
  allowed: number
  last: number
}

const timed = <T extends { last: number }>(rows: readonly T[]) =>
  rows.map((row) => ({ ...row, last: new Date(row.last).toISOString() }))

/** What models were used for, by agent and model, in sessions of this server; other agents do not tell. */
async function usageOf(sql: Reading, { since, until }: Span): Promise<Usage[]> {
  const rows = await sql.all<{ data: string; agent: string | null }>(
    `select u.data, s.agent from events u left join agent_sessions s on s.id = u.session
      where u.type = 'agent.usage' and u.time >= $1 and u.time < $2`,
    [since, until],
  )
  const found = new Map<string, Usage>()
  for (const { data, agent } of rows) {
    const { model = '', usage = {}, cost } = JSON.parse(data) as Bill
    const name = agent ?? 'deleted sessions'
    const own = found.get(`${name} ${model}`) ?? {
      ...{ agent: name, model, calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: null },
    }
    found.set(`${name} ${model}`, own)
    own.calls++
    own.input_tokens += (usage.input_tokens ?? 0) + (usage.cached_input_tokens ?? 0) + (usage.cached_write_tokens ?? 0)
    own.output_tokens += usage.output_tokens ?? 0
    if (cost !== undefined) own.cost_usd = (own.cost_usd ?? 0) + cost
  }
  return [...found.values()].sort(
    (one, other) => (other.cost_usd ?? 0) - (one.cost_usd ?? 0) || other.calls - one.calls,
  )
}

interface Usage {
  agent: string
  model: string
  calls: number
  input_tokens: number
  output_tokens: number
  /** Null: nobody knows what the model costs. */
  cost_usd: number | null
}

interface Bill {
  model?: string
  usage?: Partial<Record<'input_tokens' | 'output_tokens' | 'cached_input_tokens' | 'cached_write_tokens', number>>
  cost?: number
}

/** To a hundredth of a millisecond: counted in one pass, where sorting a million would take seconds. */
async function percentiles(sql: Reading, { since, until }: Span): Promise<Percentiles> {
  const steps = await sql.all<{ hundredths: number; count: number }>(
    `select cast(duration * 100 + 0.5 as integer) as hundredths, count(*) as count from entries
      where ${wanted} and duration is not null group by 1 order by 1`,
    [since, until],
  )
  return percentilesOf(steps)
}

/** What stands above every screen: found without counting anything else. */
export async function failedOpenSince({ aside: sql }: Sql, since: number): Promise<number> {
  const row = await one<{ count: number }>(
    sql,
    `select count(*) as count from entries
      where failed_open > 0 and mark = 'failed' and time >= $1 and synthetic = 0 and shown = 1`,
    [since],
  )
  return row?.count ?? 0
}

/** The same in equal steps of time, for a chart. */
export async function seriesOf({ aside: sql }: Sql, { since, until }: Span, steps: number) {
  const width = Math.max(1, Math.ceil((until - since) / steps))
  const rows = await sql.all<{
    step: number
    mark: string
    count: number
    mean: number | null
    slowest: number | null
  }>(
    `select cast((time - $1) / $3 as integer) as step, mark, count(*) as count, avg(duration) as mean, max(duration) as slowest
      from entries where ${wanted} group by 1, 2 order by 1`,
    [since, until, width],
  )
  const points = new Map<number, { time: string; counts: Record<string, number>; slowest_ms: number | null }>()
  for (const { step, mark, count, slowest } of rows) {
    const point = points.get(step) ?? {
      time: new Date(since + step * width).toISOString(),
      counts: {},
      slowest_ms: null,
    }
    point.counts[mark] = count
    point.slowest_ms = Math.max(point.slowest_ms ?? 0, slowest ?? 0)
    points.set(step, point)
  }
  return { step_ms: width, points: [...points.values()] }
}
