import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import { type Entry, partsToRead, verifyJournal } from 'hookline/internal'
import * as z from 'zod/mini'
import { type DecisionFilter, findDecisions } from '../decisions/index.ts'
import { refuse } from '../http/problem.ts'
import { plain, route } from '../http/route.ts'
import { asOcsf, wholeDecision } from '../index/index.ts'
import type { World } from '../world.ts'
import { decision, filter, number } from './decisions.ts'

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
    const rows = await world.sql.aside.all<{ count: number }>('select count(*) as count from entries')
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
  let count = 0
  for (const part of partsToRead(file))
    for await (const line of createInterface({ input: createReadStream(part), crlfDelay: 0 })) {
      // A long journal keeps nobody else waiting.
      if (++count % 50 === 0) await setImmediate()
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
