import * as z from 'zod/mini'
import { failedOpenSince, findDecisions, seriesOf, statsOf } from '../decisions/index.ts'
import { earlyRoute } from '../http/route.ts'

const text = z.string().check(z.maxLength(500))

const mark = z.enum(['blocked', 'asked', 'allowed', 'rewritten', 'failed', 'quiet'])

export const decision = z.object({
  id: z.int(),
  seq: z.int(),
  time: z.string(),
  event: z.string(),
  outcome: z.string(),
  mark,
  subject: z.string(),
  remark: z.string(),
  reason: z.nullable(z.string()),
  host: z.string(),
  agent: z.nullable(z.string()),
  session: z.nullable(z.string()),
  project: z.nullable(z.string()),
  tool: z.nullable(z.string()),
  call: z.nullable(z.string()),
  duration_ms: z.nullable(z.number()),
  synthetic: z.boolean(),
  failed: z.boolean(),
  failed_open: z.boolean(),
  machine: z.nullable(z.string()),
})

const time = text.check(
  z.refine((value) => !Number.isNaN(Date.parse(value)), 'must be a time, such as 2026-11-17T09:30:00Z'),
)
const flag = z.pipe(
  z.enum(['true', 'false']),
  z.transform((value: 'true' | 'false'): boolean => value === 'true'),
)
export const number = (least: number, most: number) =>
  z.coerce.number().check(z.int(), z.minimum(least), z.maximum(most))

export const filter = {
  session: z.optional(text),
  agent: z.optional(text),
  machine: z.optional(text),
  host: z.optional(text),
  hook: z.optional(text),
  rule: z.optional(text),
  outcome: z.optional(z.enum(['allow', 'ask', 'deny', 'halt', 'no-opinion', 'failure'])),
  mark: z.optional(mark),
  tool: z.optional(text),
  project: z.optional(text),
  call: z.optional(text),
  event: z.optional(text),
  text: z.optional(text),
  since: z.optional(time),
  until: z.optional(time),
  failed: z.optional(flag),
  all: z.optional(flag),
}

export const listDecisions = earlyRoute({
  method: 'get',
  path: '/api/decisions',
  summary:
    'What was decided, the newest first: by session, agent, host, hook, rule, outcome, tool, project, words or time.',
  needs: 'viewer',
  lasts: true,
  query: z.object({
    ...filter,
    limit: z.optional(number(1, 500)),
    before: z.optional(number(1, Number.MAX_SAFE_INTEGER)),
    after: z.optional(number(0, Number.MAX_SAFE_INTEGER)),
  }),
  answer: z.object({ decisions: z.array(decision), next: z.nullable(z.int()) }),
  async handle({ query: { limit = 100, before, after, ...wanted }, world }) {
    const found = await findDecisions(world.sql, wanted, { before, after, limit: limit + 1 })
    const decisions = found.slice(0, limit)
    return { decisions, next: found.length > limit ? (decisions.at(-1)?.id ?? null) : null }
  },
})

const span = { since: z.optional(time), until: z.optional(time) }
const group = z.object({
  ...{ name: z.string(), count: z.int(), blocked: z.int(), asked: z.int(), failed_open: z.int(), last: z.string() },
})
const counts = { denied: z.int(), asked: z.int(), allowed: z.int(), last: z.string() }

export const stats = earlyRoute({
  method: 'get',
  path: '/api/stats',
  summary: 'Counts of a span of time: decisions, hosts, projects, agents, hooks, rules, and how long deciding took.',
  needs: 'viewer',
  query: z.object(span),
  answer: z.object({
    since: z.string(),
    until: z.string(),
    decisions: z.record(z.string(), z.int()),
    failed_open: z.int(),
    duration_ms: z.object({ p50: z.nullable(z.number()), p99: z.nullable(z.number()) }),
    answered: z.object({ count: z.int(), mean_ms: z.nullable(z.number()) }),
    /** Of sessions of this server; `cost_usd` is null where nobody knows the price. */
    usage: z.array(
      z.object({
        ...{ agent: z.string(), model: z.string(), calls: z.int(), input_tokens: z.int(), output_tokens: z.int() },
        cost_usd: z.nullable(z.number()),
      }),
    ),
    hosts: z.array(group),
    projects: z.array(group),
    agents: z.array(group),
    hooks: z.array(z.object({ hook: z.string(), runs: z.int(), failures: z.int(), failed_open: z.int(), ...counts })),
    rules: z.array(z.object({ rule: z.string(), matches: z.int(), ...counts })),
  }),
  handle: async ({ query, world }) => statsOf(world.sql, spanOf(query)),
})

export const headline = earlyRoute({
  method: 'get',
  path: '/api/stats/headline',
  summary: 'The figure that should be zero: guards that failed and stopped nothing, in the last day.',
  needs: 'viewer',
  answer: z.object({ failed_open: z.int() }),
  handle: async ({ world }) => ({ failed_open: await failedOpenSince(world.sql, Date.now() - dayMs) }),
})

export const series = earlyRoute({
  method: 'get',
  path: '/api/stats/series',
  summary: 'The same in equal steps of time, for a chart.',
  needs: 'viewer',
  query: z.object({ ...span, steps: z.optional(number(1, 500)) }),
  answer: z.object({
    step_ms: z.int(),
    points: z.array(
      z.object({ time: z.string(), counts: z.record(z.string(), z.int()), slowest_ms: z.nullable(z.number()) }),
    ),
  }),
  handle: async ({ query: { steps = 60, ...query }, world }) => seriesOf(world.sql, spanOf(query), steps),
})

const dayMs = 86_400_000

/** Without anything said, the last day. */
function spanOf({ since, until }: { since?: string | undefined; until?: string | undefined }) {
  const end = until === undefined ? Date.now() + 1 : Date.parse(until)
  return { since: since === undefined ? end - dayMs : Date.parse(since), until: end }
}
