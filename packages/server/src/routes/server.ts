import * as z from 'zod/mini'
import { cookieIn, sessionCookie } from '../http/cookie.ts'
import { refuse } from '../http/problem.ts'
import { type GivenRole, nothing, plain, roles, route } from '../http/route.ts'
import { measuresOf } from '../measures.ts'
import { eventId, streamTo } from './stream.ts'

export const health = route({
  method: 'get',
  path: '/healthz',
  summary: 'Whether the server answers, and its index keeps up.',
  needs: 'nobody',
  answer: z.object({ status: z.enum(['ok', 'degraded']) }),
  handle: async ({ world }) => ({
    status: world.index.state().lastError === undefined ? ('ok' as const) : ('degraded' as const),
  }),
})

export const metrics = route({
  method: 'get',
  path: '/metrics',
  summary: 'What the server counts, in the text format of Prometheus.',
  needs: 'viewer',
  answer: plain,
  type: 'text/plain; version=0.0.4',
  handle: async ({ world }) => world.metrics.show(await measuresOf(world)),
})

export const signIn = route({
  method: 'post',
  path: '/api/sign-in',
  summary: 'Signs a browser in with the code of the link that the server printed; once.',
  needs: 'nobody',
  body: z.object({ code: z.string().check(z.maxLength(200)) }),
  answer: z.object({ role: z.enum(roles), proof: z.nullable(z.string()) }),
  async handle({ body, world, recordChange }) {
    const signed = world.access.signIn(body.code)
    if (!signed) throw refuse(401, 'sign-in-failed', {})
    await recordChange(`signed in as ${signed.who.name}`)
    return Response.json(
      { role: signed.who.role, proof: (await world.proofs.signedIn(signed.who)) ?? null },
      { headers: { 'set-cookie': sessionCookie(signed.cookie, world.cookie), 'cache-control': 'no-store' } },
    )
  },
})

export const signOut = route({
  method: 'post',
  path: '/api/sign-out',
  summary: 'Ends the session of this browser.',
  needs: 'anybody',
  answer: nothing,
  async handle({ request, world, recordChange }) {
    const cookie = cookieIn(request, world.cookie.name)
    if (cookie !== undefined) world.access.signOut(cookie)
    await recordChange('signed out')
    await world.hub.recheck()
    return Response.json({ ok: true }, { headers: { 'set-cookie': `${sessionCookie('', world.cookie)}; Max-Age=0` } })
  },
})

export const me = route({
  method: 'get',
  path: '/api/me',
  summary: 'Who you are here, and what this server is.',
  needs: 'anybody',
  answer: z.object({
    name: z.string(),
    role: z.enum(roles),
    version: z.string(),
    cwd: z.string(),
    since: z.string(),
    proven: z.boolean(),
  }),
  handle: async ({ who, world: { version, cwd, since, proofs } }) => ({
    ...{
      name: who.name,
      role: who.role as GivenRole,
      version,
      cwd,
      since: since.toISOString(),
      proven: proofs.isProven(who),
    },
  }),
})

const token = z.object({
  ...{ id: z.string(), name: z.string(), role: z.enum(roles), created: z.string(), used: z.nullable(z.string()) },
})

export const listTokens = route({
  method: 'get',
  path: '/api/tokens',
  summary: 'The tokens of programs; their secrets are not kept.',
  needs: 'admin',
  answer: z.object({ tokens: z.array(token) }),
  handle: async ({ world }) => ({ tokens: await world.access.tokens() }),
})

export const makeToken = route({
  method: 'post',
  path: '/api/tokens',
  summary: 'Makes a token for a program; its secret is in this answer and nowhere else.',
  needs: 'admin',
  body: z.object({ name: z.string().check(z.minLength(1), z.maxLength(100)), role: z.enum(roles) }),
  answer: z.object({ token, secret: z.string() }),
  status: 201,
  async handle({ body, world, recordChange }) {
    const made = await world.access.makeToken(body.name, body.role)
    await recordChange(`made the token ${body.name} (${made.token.id}, ${body.role})`)
    return made
  },
})

export const revokeToken = route({
  method: 'delete',
  path: '/api/tokens/:id',
  summary: 'Takes a token back; it is refused from now on.',
  needs: 'admin',
  params: z.object({ id: z.string() }),
  answer: nothing,
  async handle({ params, world, recordChange }) {
    if (await world.access.revokeToken(params.id)) {
      await world.hub.recheck()
      await recordChange(`revoked the token ${params.id}`)
      return { ok: true as const }
    }
    throw refuse(404, 'request-not-found', { what: `token ${params.id}` })
  },
})

export const events = route({
  method: 'get',
  path: '/api/events',
  summary:
    'A stream of what happens (server-sent events). `Last-Event-ID`, or `after`, resumes it without gap or repetition.',
  needs: 'viewer',
  query: z.object({
    after: z.optional(eventId),
    types: z.optional(z.string().check(z.maxLength(500))),
    session: z.optional(z.string().check(z.maxLength(500))),
    attended: z.optional(z.enum(['true', 'false'])),
  }),
  answer: plain,
  type: 'text/event-stream',
  handle: async ({ query, ...call }) => streamTo(call, query),
})
