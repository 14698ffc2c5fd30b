import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import * as z from 'zod/mini'
import { alertKinds, auditOf, machineStates, shadowIn } from '../audit/index.ts'
import { readBytes } from '../http/body.ts'
import { refuse } from '../http/problem.ts'
import { nothing, route } from '../http/route.ts'
import { policyStates } from '../machines/index.ts'
import { one } from '../store/index.ts'

const log = z.string().check(z.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'is the id of a journal'))
const count = z.coerce.number().check(z.int(), z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER))
/** `group`: where the machine belongs, for one that fetches its policy from elsewhere. */
const position = z.object({ seq: z.int(), group: z.string() })

/** Unpacked, a batch is no longer than what machines make, by far. */
const mostUnpacked = 4 * 1024 * 1024
/** More at once would only wait for the database, in memory. */
const mostAtOnce = 8
const unpack = promisify(gunzip)
let atOnce = 0

export const ownJournal = route({
  method: 'get',
  path: '/api/machines/me/journal',
  summary: 'How far the server has a journal of the machine that asks: the next line that it wants.',
  needs: 'machine',
  query: z.object({ log, time: z.optional(count) }),
  answer: position,
  async handle({ query, who, world }) {
    if (query.time !== undefined) await world.ingest.saw(who.id, query.log, query.time)
    return { seq: await world.ingest.position(who.id, query.log), group: who.group! }
  },
})

export const sendJournal = route({
  method: 'post',
  path: '/api/machines/me/journal',
  summary:
    'Takes the next lines of a journal of the machine that sends them (JSON lines, gzip), checked against its chain. 409: they do not follow from what is here, and `seq` says what does; 429: later.',
  needs: 'machine',
  often: true,
  unaudited: 'It is itself what is written down.',
  query: z.object({
    ...{
      log,
      seq: count,
      unsent: z.optional(count),
      time: z.optional(count),
      gap: z.optional(z.enum(['true', 'false'])),
    },
  }),
  answer: position,
  async handle({ query, who, world, request }) {
    if (atOnce >= mostAtOnce) throw refuse(429, 'request-too-many', { seconds: 1 }, { 'retry-after': '1' })
    atOnce++
    try {
      const bytes = await unpacked(request)
      const { taken, seq } = await world.ingest.take({
        ...{ machine: who.id, log: query.log, seq: query.seq, bytes, gap: query.gap === 'true' },
        ...{ unsent: query.unsent ?? 0, time: query.time },
      })
      const answer = { seq, group: who.group! }
      return taken ? answer : Response.json(answer, { status: 409 })
    } finally {
      atOnce--
    }
  },
})

async function unpacked(request: Request): Promise<Buffer> {
  const sent = await readBytes(request)
  if (!/^gzip$/i.test(request.headers.get('content-encoding') ?? '')) return whole(sent)
  try {
    return whole(await unpack(sent, { maxOutputLength: mostUnpacked }))
  } catch {
    throw refuse(400, 'request-invalid', { detail: `it is not gzip, or longer than ${mostUnpacked} bytes` })
  }
}

function whole(bytes: Buffer): Buffer {
  if (bytes.at(-1) === 0x0a) return bytes
  throw refuse(400, 'request-invalid', { detail: 'it does not end with a whole line' })
}

const machine = z.object({
  ...{ id: z.string(), name: z.string(), group: z.string(), version: z.string(), revoked: z.boolean() },
  ...{ heard: z.nullable(z.string()), last_event: z.nullable(z.string()), entries: z.int(), unsent: z.int() },
  ...{ missing: z.int(), skew_ms: z.number(), state: z.enum(machineStates) },
  broken: z.nullable(z.object({ log: z.string(), seq: z.int(), detail: z.string() })),
  policy: z.nullable(z.object({ version: z.int(), state: z.enum(policyStates) })),
})

const shadowed = z.object({
  ...{ id: z.string(), outcome: z.string(), count: z.int(), machines: z.int(), failed: z.boolean(), last: z.string() },
})

export const showFleet = route({
  method: 'get',
  path: '/api/fleet',
  summary:
    'Every machine, and how its audit stands: what it has not sent yet, what is missing or was changed, how far its clock is off, which went quiet, and which policy is in force there; `published` is the one that should be.',
  needs: 'viewer',
  answer: z.object({ machines: z.array(machine), alerts: z.int(), published: z.nullable(z.int()) }),
  async handle({ world }) {
    const machines = await auditOf(world.sql)
    const open = await one<{ count: number }>(world.sql, 'select count(*) as count from alerts where ended is null')
    return { machines, alerts: open?.count ?? 0, published: world.policies.published()?.version ?? null }
  },
})

export const wouldBe = route({
  method: 'get',
  path: '/api/fleet/shadow',
  summary:
    'What would have been blocked or asked about on the machines of the fleet, had rules and hooks that only watch (`mode: shadow`) counted: for each, how often, on how many machines, and the last time.',
  needs: 'viewer',
  query: z.object({ since: z.optional(z.string()), group: z.optional(z.string()) }),
  answer: z.object({ rules: z.array(shadowed), hooks: z.array(shadowed) }),
  handle: ({ query, world }) => shadowIn(world.sql, query),
})

const alert = z.object({
  ...{ id: z.string(), kind: z.enum(Object.keys(alertKinds) as [keyof typeof alertKinds]), title: z.string() },
  ...{ severity: z.int(), about: z.string(), detail: z.string(), raised: z.string(), last: z.string() },
  ...{ count: z.int(), ended: z.nullable(z.string()) },
})

export const listAlerts = route({
  method: 'get',
  path: '/api/alerts',
  summary: 'What somebody should look at, the newest first; with `all`, also what is over.',
  needs: 'viewer',
  query: z.object({
    all: z.optional(z.enum(['true', 'false'])),
    limit: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(1_000))),
  }),
  answer: z.object({ alerts: z.array(alert) }),
  handle: async ({ query: { all, limit = 200 }, world }) => ({
    alerts: await world.alerts.list({ open: all !== 'true', limit }),
  }),
})

export const endAlert = route({
  method: 'post',
  path: '/api/alerts/:id/end',
  summary: 'Somebody has looked at it: the alert is over. Where it is still so, it is raised again.',
  needs: 'operator',
  params: z.object({ id: z.string() }),
  answer: nothing,
  async handle({ params: { id }, world, recordChange }) {
    if (!(await world.alerts.end(id))) throw refuse(404, 'request-not-found', { what: `alert ${id}` })
    await recordChange(`ended the alert ${id}`)
    return { ok: true as const }
  },
})
