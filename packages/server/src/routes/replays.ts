import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { configTarget, configured, createHooks, projectAt } from 'hookline/internal'
import * as z from 'zod/mini'
import { calledIn } from '../called-in.ts'
import { refuse } from '../http/problem.ts'
import { nothing, route } from '../http/route.ts'
import { editableIn, projectFrom } from '../projects.ts'
import { compareConfigs, comparePolicies, difference, historyOf, type Replay, withText } from '../replay/index.ts'
import type { World } from '../world.ts'

const text = z.string().check(z.maxLength(4_096))
const time = text.check(
  z.refine((value) => !Number.isNaN(Date.parse(value)), 'must be a time, such as 2026-11-17T09:30:00Z'),
)

export const listConfigs = route({
  method: 'get',
  path: '/api/configs',
  summary:
    'The config files of a project that a person may change, as they are written; and the policies of the fleet that may be signed, by group.',
  needs: 'operator',
  query: z.object({ project: z.optional(text) }),
  answer: z.object({
    project: z.string(),
    files: z.array(z.object({ file: z.string(), layer: z.string(), text: z.string(), group: z.optional(z.string()) })),
  }),
  async handle({ query, world }) {
    const project = await projectFrom(world, query.project)
    const found = await editableIn(project)
    const target = configTarget({ cwd: project })
    const all = found.some(({ file }) => file === resolve(target.file)) ? found : [...found, target]
    const own = all.map(({ file, layer }) => ({ file: resolve(file), layer: layer ?? 'project', text: readOr(file) }))
    const drafts = world.policies.drafts().map((draft) => ({ ...draft, layer: 'fleet' }))
    return { project, files: [...own, ...drafts] }
  },
})

/** What is not there yet begins empty. */
function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return 'version: 1\nrules: []\n'
  }
}

const replay = z.object({
  id: z.string(),
  state: z.enum(['running', 'done', 'failed', 'canceled']),
  project: z.string(),
  started: z.string(),
  ended: z.nullable(z.string()),
  done: z.int(),
  of: z.int(),
  problem: z.nullable(z.string()),
  result: z.nullable(
    z.object({
      from: z.nullable(z.string()),
      to: z.nullable(z.string()),
      replayed: z.int(),
      counts: z.record(z.string(), z.int()),
      changes: z.array(difference),
      not_replayed: z.record(z.string(), z.int()),
      impossible: z.record(z.string(), z.int()),
    }),
  ),
})

const mostReplayed = 50_000
const groupName = z.string().check(z.regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'is the name of a group'))

export const startReplay = route({
  method: 'post',
  path: '/api/replays',
  summary:
    'Replays a span of the journal against a candidate config, without running anything, and goes on by itself; without a candidate, the config as it is now is compared with what was decided then.',
  needs: 'operator',
  unaudited: 'Nothing is changed.',
  body: z.strictObject({
    project: z.optional(text),
    /** The file that is tried, and what would stand in it. */
    candidate: z.optional(z.object({ file: text, text: z.string().check(z.maxLength(500_000)) })),
    /** In its place: a policy for this group of the fleet, tried on what its machines have sent; without a text, as it lies on the server. */
    policy: z.optional(
      z.strictObject({ group: z.optional(groupName), text: z.optional(z.string().check(z.maxLength(500_000))) }),
    ),
    since: z.optional(time),
    until: z.optional(time),
    /** Also what happened in other projects. */
    everywhere: z.optional(z.boolean()),
    limit: z.optional(z.int().check(z.minimum(1), z.maximum(mostReplayed))),
  }),
  answer: replay,
  status: 202,
  async handle({ body, world }) {
    const { candidate, policy, since, until, everywhere = false, limit = 10_000 } = body
    if (policy) return startWith(world, policy, { since, until, limit })
    const project = await projectFrom(world, body.project)
    const { files: current } = await configured(calledIn(project), [], { quiet: true, mayBeNone: true })
    const tried = candidate && (await candidateFiles(project, current, candidate))
    const filter = {
      ...(since !== undefined && { since: new Date(since) }),
      ...(until !== undefined && { until: new Date(until) }),
      ...(!everywhere && { within: projectAt(project) }),
    }
    const expected = await countOf(world, { since, until, ...(!everywhere && { project }) })
    const started = world.replays.start({
      project,
      of: Math.min(limit, expected) * (tried ? 2 : 1),
      work: (onEntry) => compareConfigs(world, { project, current, candidate: tried, filter, limit, onEntry }),
    })
    return begun(started)
  },
})

function begun(started: Replay | undefined): Replay {
  if (started) return { ...started }
  throw refuse(409, 'request-conflict', { detail: 'Another replay is running. Wait for it, or cancel it.' })
}

async function startWith(
  world: World,
  { group, text: written }: { group?: string | undefined; text?: string | undefined },
  span: { since?: string | undefined; until?: string | undefined; limit: number },
): Promise<Replay> {
  const { policies, sql, cwd } = world
  const drafts = policies.drafts()
  const draft = [group, 'default'].map((name) => drafts.find((each) => each.group === name)).find(Boolean)
  if (written === undefined && !draft)
    throw refuse(404, 'request-not-found', { what: 'policy to be signed on this server' })
  const place = {
    file: draft?.file ?? 'policy/hookline.yaml',
    layer: 'fleet',
    dialect: 'native',
    candidate: true,
  } as const
  const candidate = { ...place, text: written ?? draft!.text }
  const hooks = await createHooks({ files: [candidate], cwd, journal: false, trust: () => ({ trusted: true }) })
  await hooks.close()
  const now = policies.inForce(group ?? 'default')
  const current = now?.mode === 'enforce' ? { ...place, text: now.text } : undefined
  const which = { group, ...span }
  const of = Math.min(span.limit, await historyOf(sql, which)) * 2
  const work = (onEntry: () => void) => comparePolicies(sql, { current, candidate, which, cwd, onEntry })
  return begun(world.replays.start({ project: group === undefined ? 'the fleet' : `the group ${group}`, of, work }))
}

/** The files of the project with the candidate in its place. A text with mistakes is refused at once. */
async function candidateFiles(
  project: string,
  current: Awaited<ReturnType<typeof configured>>['files'],
  { file, text: written }: { file: string; text: string },
) {
  const target = [...(await editableIn(project)), configTarget({ cwd: project })].find(
    (each) => resolve(each.file) === resolve(file),
  )
  if (!target) throw refuse(404, 'request-not-found', { what: 'such config file' })
  const files = withText(current, target, written)
  const hooks = await createHooks({ files, cwd: project, journal: false, trust: () => ({ trusted: true }) })
  await hooks.close()
  return files
}

async function countOf(
  { sql }: World,
  { since, until, project }: { since?: string | undefined; until?: string | undefined; project?: string },
): Promise<number> {
  const rows = await sql.aside.all<{ count: number }>(
    `select count(*) as count from entries where time >= $1 and time < $2 and synthetic = 0 and ($3 is null or project = $3)`,
    [
      since === undefined ? 0 : Date.parse(since),
      until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(until),
      project ?? null,
    ],
  )
  return rows[0]?.count ?? 0
}

export const listReplays = route({
  method: 'get',
  path: '/api/replays',
  summary: 'The last replays of this server, the newest first, without what they found.',
  needs: 'viewer',
  answer: z.object({ replays: z.array(z.omit(replay, { result: true })) }),
  handle: async ({ world }) => ({ replays: world.replays.all().map(({ result: _result, ...rest }) => rest) }),
})

const named = z.object({ id: z.string().check(z.maxLength(100)) })

export const showReplay = route({
  method: 'get',
  path: '/api/replays/:id',
  summary: 'How far a replay is, and what it found.',
  needs: 'viewer',
  params: named,
  answer: replay,
  async handle({ params, world }) {
    const found = world.replays.get(params.id)
    if (!found) throw refuse(404, 'request-not-found', { what: 'such replay' })
    return { ...found }
  },
})

export const cancelReplay = route({
  method: 'delete',
  path: '/api/replays/:id',
  summary: 'Ends a replay that runs.',
  needs: 'operator',
  unaudited: 'Nothing is changed.',
  params: named,
  answer: nothing,
  async handle({ params, world }) {
    if (world.replays.cancel(params.id)) return { ok: true as const }
    throw refuse(404, 'request-not-found', { what: 'such replay that runs' })
  },
})
