import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { type Entry, partsToRead, verifyJournal } from 'hookline/internal'
import * as z from 'zod/mini'
import { refuse } from '../http/problem.ts'
import { plain, route } from '../http/route.ts'
import {
  asOcsf,
  type DecisionFilter,
  failedOpenSince,
  findDecisions,
  seriesOf,
  statsOf,
  wholeDecision,
} from '../index/index.ts'
import type { World } from '../world.ts'

const text = z.string().check(z.maxLength(500))

export const decision = z.object({
  id: z.int(),
  seq: z.int(),
  time: z.string(),
  event: z.string(),
  outcome: z.string(),
  mark: z.string(),
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
const number = (least: number, most: number) => z.coerce.number().check(z.int(), z.minimum(least), z.maximum(most))

const filter = {
  session: z.optional(text),
  agent: z.optional(text),
  machine: z.optional(text),
  host: z.optional(text),
  hook: z.optional(text),
  rule: z.optional(text),
  outcome: z.optional(z.enum(['allow', 'ask', 'deny', 'halt', 'no-opinion', 'failure'])),
  mark: z.optional(z.enum(['blocked', 'asked', 'allowed', 'rewritten', 'failed', 'quiet'])),
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

export const listDecisions = route({
  method: 'get',
  path: '/api/decisions',
  summary:
    'What was decided, the newest first: by session, agent, host, hook, rule, outcome, tool, project, words or time.',
  needs: 'viewer',
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

export const showDecision = route({
  method: 'get',
  path: '/api/decisions/:id',
  summary:
    'One decision whole: what every hook and rule answered, the payload, and whether its line in the journal is as it was.',
  needs: 'viewer',
  params: z.object({ id: number(1, Number.MAX_SAFE_INTEGER) }),
  answer: z.object({
    decision,
    line: z.enum(['as-indexed', 'changed', 'gone']),
    hash: z.string(),
    log: z.string(),
    entry: z.nullable(z.record(z.string(), z.unknown())),
  }),
  async handle({ params, world }) {
    const found = await wholeDecision(world.sql, world.index.file, params.id)
    if (!found) throw refuse(404, 'request-not-found', { what: `decision ${params.id}` })
    return { ...found, entry: found.entry as Record<string, unknown> | null }
  },
})

export const verifyDecisions = route({
  method: 'post',
  path: '/api/journal/verify',
  summary: 'Reads the whole journal, rotated files included, and reports whether every line is as it was written.',
  needs: 'viewer',
  answer: z.object({
    status: z.enum(['intact', 'torn', 'tampered', 'truncated', 'missing']),
    from: z.int(),
    entries: z.int(),
    head: z.string(),
    at: z.optional(z.int()),
    file: z.optional(z.string()),
    line: z.optional(z.int()),
    detail: z.string(),
    lost: z.int(),
    recoveries: z.int(),
    log: z.optional(z.string()),
  }),
  unaudited: 'Nothing is changed.',
  handle: async ({ world }) => verifyJournal(world.index.file, { across: true }),
})

export const journalState = route({
  method: 'get',
  path: '/api/journal',
  summary: 'How far the index has read the journal, and the first thing in it that is not as it was written.',
  needs: 'viewer',
  answer: z.object({
    file: z.string(),
    entries: z.int(),
    broken: z.nullable(z.object({ seq: z.int(), detail: z.string() })),
    error: z.nullable(z.string()),
  }),
  async handle({ world }) {
    const { broken = null, lastError = null } = world.index.state()
    const rows = await world.sql.all<{ count: number }>('select count(*) as count from entries')
    return { file: world.index.file, entries: rows[0]?.count ?? 0, broken, error: lastError }
  },
})

export const exportJournal = route({
  method: 'get',
  path: '/api/journal/export',
  summary:
    'The journal as it stands in its file (`jsonl`), or each decision as an event of OCSF (`ocsf`), for a SIEM. With a filter, only what it finds, the newest first.',
  needs: 'viewer',
  query: z.object({ ...filter, format: z.optional(z.enum(['jsonl', 'ocsf'])) }),
  answer: plain,
  type: 'application/x-ndjson',
  async handle({ query: { format = 'jsonl', ...wanted }, world }) {
    const { since, until, ...narrower } = wanted
    const isWhole = Object.keys(narrower).length === 0
    const lines = isWhole ? linesOf(world.index.file, format, since, until) : linesFound(world, format, wanted)
    // Read as fast as it is taken.
    return new Response(ReadableStream.from(lines).pipeThrough(new TextEncoderStream()), {
      headers: {
        ...{ 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' },
        'content-disposition': `attachment; filename="journal.${format === 'jsonl' ? 'jsonl' : 'ocsf.jsonl'}"`,
      },
    })
  },
})

/** What a filter finds, page by page. */
async function* linesFound(
  { sql, index }: World,
  format: 'jsonl' | 'ocsf',
  wanted: DecisionFilter,
): AsyncGenerator<string> {
  for (let before: number | undefined; ; ) {
    const found = await findDecisions(sql, wanted, { before, limit: 500 })
    for (const { id } of found) {
      const entry = (await wholeDecision(sql, index.file, id))?.entry
      if (entry) yield `${JSON.stringify(format === 'jsonl' ? entry : asOcsf(entry))}\n`
    }
    before = found.at(-1)?.id
    if (found.length < 500) return
  }
}

/** Byte for byte as the journal has them, the oldest first; or as events of OCSF. */
async function* linesOf(
  file: string,
  format: 'jsonl' | 'ocsf',
  since = '1970-01-01',
  until = '9999-12-31',
): AsyncGenerator<string> {
  const [from, to] = [Date.parse(since), Date.parse(until)]
  for (const part of partsToRead(file))
    for await (const line of createInterface({ input: createReadStream(part), crlfDelay: 0 })) {
      const found = lineIn(line)
      const at = Date.parse(found?.time ?? '')
      if (!found || !(at >= from && at < to)) continue
      if (format === 'jsonl') yield `${line}\n`
      else if (Array.isArray(found.hooks)) yield `${JSON.stringify(asOcsf(found as Entry))}\n`
    }
}

/** Beside entries of events there are those of what people changed, and marks of the chain itself. */
function lineIn(line: string): Partial<Entry> | undefined {
  try {
    return JSON.parse(line) as Partial<Entry>
  } catch {
    return undefined
  }
}

const span = { since: z.optional(time), until: z.optional(time) }
const group = z.object({
  ...{ name: z.string(), count: z.int(), blocked: z.int(), asked: z.int(), failed_open: z.int(), last: z.string() },
})
const counts = { denied: z.int(), asked: z.int(), allowed: z.int(), last: z.string() }

export const stats = route({
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

export const headline = route({
  method: 'get',
  path: '/api/stats/headline',
  summary: 'The figure that should be zero: guards that failed and stopped nothing, in the last day.',
  needs: 'viewer',
  answer: z.object({ failed_open: z.int() }),
  handle: async ({ world }) => ({ failed_open: await failedOpenSince(world.sql, Date.now() - dayMs) }),
})

export const series = route({
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
