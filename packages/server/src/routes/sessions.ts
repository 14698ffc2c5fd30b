import * as z from 'zod/mini'
import type { Who } from '../access/index.ts'
import { refuse } from '../http/problem.ts'
import { nothing, plain, route } from '../http/route.ts'
import { projectFrom } from '../projects.ts'
import type { SessionRow } from '../sessions/index.ts'
import type { World } from '../world.ts'
import { eventId, streamTo } from './stream.ts'

const named = z.object({ id: z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/)) })
const words = z.string().check(z.minLength(1), z.maxLength(200_000))

const turn = z.object({
  id: z.string(),
  kind: z.enum(['prompt', 'follow-up']),
  prompt: z.string(),
  state: z.enum(['queued', 'running', 'completed', 'failed', 'canceled']),
  started: z.string(),
  ended: z.nullable(z.string()),
  code: z.nullable(z.string()),
  user_message: z.nullable(z.string()),
  response: z.nullable(z.string()),
})

const session = z.object({
  id: z.string(),
  agent: z.string(),
  project: z.string(),
  settings: z.record(z.string(), z.unknown()),
  title: z.string(),
  by: z.string(),
  forked_from: z.nullable(z.string()),
  created: z.string(),
  updated: z.string(),
  state: z.enum(['idle', 'working', 'waiting']),
  turns: z.array(turn),
  asks: z.array(z.object({ id: z.string(), question: z.string(), options: z.array(z.string()) })),
})

type Shown = z.infer<typeof session>
const shown = (view: object): Shown => view as Shown

/** Programs with the role agent have sessions of their own, and see no others. */
const ownOnly = ({ role, id }: Who): string | undefined => (role === 'agent' ? id : undefined)

async function find(id: string, who: Who, { sessions }: World): Promise<SessionRow> {
  const row = await sessions.find(id)
  const own = ownOnly(who)
  if (row && (own === undefined || row.by === own)) return row
  throw refuse(404, 'request-not-found', { what: `session ${id}` })
}

export const createSession = route({
  method: 'post',
  path: '/api/sessions',
  summary: 'Opens a session of an agent; hooks of `session_start` run. Refused by one of them: its reason.',
  needs: 'agent',
  body: z.strictObject({
    agent: z.optional(z.string().check(z.maxLength(100))),
    project: z.optional(z.string().check(z.maxLength(4_096))),
    title: z.optional(z.string().check(z.maxLength(200))),
  }),
  answer: session,
  status: 201,
  async handle({ body: { agent = 'default', project, title }, who, world, recordChange }) {
    const defined = await world.agents.find(agent)
    if (!defined) throw refuse(404, 'request-not-found', { what: `agent ${agent}` })
    const place = project === undefined ? defined.project : await projectFrom(world, project)
    const view = await world.sessions.create({ ...defined, project: place }, who.id, title)
    await recordChange(`opened the session ${view.id} of the agent ${agent}`, { project: place })
    return shown(view)
  },
})

export const listSessions = route({
  method: 'get',
  path: '/api/sessions',
  summary: 'The sessions that this server runs, the newest first, with their latest turns.',
  needs: 'anybody',
  query: z.object({
    limit: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(200))),
    before: z.optional(z.coerce.number().check(z.int(), z.minimum(1))),
  }),
  answer: z.object({ sessions: z.array(session), next: z.nullable(z.int()) }),
  async handle({ query: { limit = 50, before }, who, world }) {
    const found = await world.sessions.list({ by: ownOnly(who), before, limit })
    const last = found.at(-1)
    return { sessions: found.map(shown), next: last && found.length === limit ? Date.parse(last.created) : null }
  },
})

export const showSession = route({
  method: 'get',
  path: '/api/sessions/:id',
  summary: 'One session: whether it works, its turns and what became of each, and what it wants to know.',
  needs: 'anybody',
  params: named,
  answer: session,
  handle: async ({ params, who, world }) => shown(await world.sessions.view(await find(params.id, who, world))),
})

export const deleteSession = route({
  method: 'delete',
  path: '/api/sessions/:id',
  summary: 'Ends a session (hooks of `session_end` run), and deletes what was said in it. The journal stays.',
  needs: 'agent',
  params: named,
  answer: nothing,
  async handle({ params, who, world, recordChange }) {
    await world.sessions.remove(await find(params.id, who, world))
    await recordChange(`deleted the session ${params.id}`)
    return { ok: true as const }
  },
})

const begun = z.object({ turn: z.string() })

/** Somebody gives an agent words. */
const said = {
  method: 'post',
  needs: 'agent',
  params: named,
  body: z.strictObject({ text: words }),
  status: 202,
  unaudited: 'The entry of the prompt itself is in the journal.',
} as const

export const promptSession = route({
  path: '/api/sessions/:id/prompt',
  summary:
    'Begins a turn, which runs by itself: its outcome is `turn.completed`, `turn.failed` (with the hook’s `user_message`) or `turn.canceled` in the stream. Refused while another runs.',
  ...said,
  answer: begun,
  async handle({ params, body, who, world }) {
    const row = await find(params.id, who, world)
    return { turn: await world.sessions.prompt(row, body.text) }
  },
})

export const followUpSession = route({
  path: '/api/sessions/:id/follow-up',
  summary: 'The same after the turns that are there; begins at once where none runs.',
  ...said,
  answer: begun,
  async handle({ params, body, who, world }) {
    const row = await find(params.id, who, world)
    return { turn: await world.sessions.followUp(row, body.text) }
  },
})

export const steerSession = route({
  path: '/api/sessions/:id/steer',
  summary: 'Gives the agent something while it works, at the next opportunity; while it waits, with the next prompt.',
  ...said,
  answer: nothing,
  async handle({ params, body, who, world }) {
    await world.sessions.steer(await find(params.id, who, world), body.text)
    return { ok: true as const }
  },
})

export const cancelSession = route({
  method: 'post',
  path: '/api/sessions/:id/cancel',
  summary: 'Stops the turn that runs; the session stays open.',
  needs: 'agent',
  params: named,
  answer: nothing,
  status: 202,
  async handle({ params, who, world, recordChange }) {
    if (!(await world.sessions.cancel(await find(params.id, who, world))))
      throw refuse(409, 'request-conflict', { detail: 'No turn runs.' })
    await recordChange(`stopped the turn of ${params.id}`)
    return { ok: true as const }
  },
})

export const answerSession = route({
  method: 'post',
  path: '/api/sessions/:id/answer',
  summary:
    'Answers what the agent wants to know (`asks`). Whether a call may run is answered under `/api/questions`, like that of every agent.',
  needs: 'agent',
  params: named,
  body: z.strictObject({ id: z.string().check(z.maxLength(100)), text: words }),
  answer: nothing,
  async handle({ params, body, who, world, recordChange }) {
    if (!(await world.sessions.answer(await find(params.id, who, world), body.id, body.text)))
      throw refuse(404, 'request-not-found', { what: 'question that waits under this name' })
    await recordChange(`answered a question of ${params.id}`)
    return { ok: true as const }
  },
})

export const forkSession = route({
  method: 'post',
  path: '/api/sessions/:id/fork',
  summary: 'Another session that goes on from here, or from after the first `prompts` prompts.',
  needs: 'agent',
  params: named,
  body: z.strictObject({ prompts: z.optional(z.int().check(z.minimum(0), z.maximum(100_000))) }),
  answer: session,
  status: 201,
  async handle({ params, body, who, world, recordChange }) {
    const view = await world.sessions.fork(await find(params.id, who, world), who.id, body.prompts)
    await recordChange(`forked the session ${params.id} as ${view.id}`)
    return shown(view)
  },
})

export const exportSession = route({
  method: 'get',
  path: '/api/sessions/:id/export',
  summary: 'What was said and done in a session, as Markdown or, record by record, as JSON.',
  needs: 'anybody',
  params: named,
  query: z.object({ format: z.optional(z.enum(['markdown', 'json'])) }),
  answer: plain,
  type: 'text/markdown; charset=utf-8',
  async handle({ params, query: { format = 'markdown' }, who, world }) {
    const text = await world.sessions.export(await find(params.id, who, world), format)
    if (format === 'markdown') return text
    return new Response(text, { headers: { 'content-type': 'application/json', 'cache-control': 'no-store' } })
  },
})

export const sessionEvents = route({
  method: 'get',
  path: '/api/sessions/:id/events',
  summary:
    'A stream of everything that happens in a session: `turn.*`, `agent.*`, `hook.*`, `decision`, `question.*`. `Last-Event-ID`, or `after`, resumes it without gap or repetition; `after=0` begins at its beginning.',
  needs: 'anybody',
  params: named,
  query: z.object({ after: z.optional(eventId), types: z.optional(z.string().check(z.maxLength(500))) }),
  answer: plain,
  type: 'text/event-stream',
  async handle({ params, query, who, world, ...call }) {
    const { id } = await find(params.id, who, world)
    return streamTo({ ...call, who, world }, { ...query, types: query.types ?? '*', session: id })
  },
})
