import { createHash } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { nobody, type Who } from '../access/index.ts'
import type { EarlyWorld } from '../world.ts'
import { makeAnswers, type Written } from './answers.ts'
import { readJson } from './body.ts'
import { cookieIn } from './cookie.ts'
import type { Limits } from './limits.ts'
import { problemOf, Refusal, refusalFrom, refuse } from './problem.ts'
import { makeRepeatable } from './repeat.ts'
import { type EarlyRoute, mayDo, type Route } from './route.ts'
import { onlyOurPage, securityHeaders } from './security.ts'

type Env = { Bindings: HttpBindings }

export interface AppOptions {
  world: EarlyWorld
  routes: Readonly<Record<string, EarlyRoute | Route>>
  limits: Limits
  /** Whose pass it is, where a machine of the fleet shows one. */
  byPass(token: string): Promise<Who | undefined>
  /** Writes down in the journal what somebody changed. */
  audit(who: Who, what: string, more?: Readonly<Record<string, unknown>>): Promise<void>
  /** What is at addresses that are not in the table; undefined: nothing. */
  otherwise(request: Request, bindings: HttpBindings): Response | Promise<Response> | undefined
}

/** The web application: every route of the table, behind the same checks in the same order. */
export function makeApp({ world, routes, limits, byPass, audit, otherwise }: AppOptions): Hono<Env> {
  const app = new Hono<Env>()
  const fixed = securityHeaders(world.surface)
  const repeatable = makeRepeatable(world.sql)
  const answers = makeAnswers(world.sql)
  const { attempts, changes, reads } = limits

  app.use(onlyOurPage(world.surface))
  for (const [name, each] of Object.entries(routes))
    app.on(each.method.toUpperCase(), each.path, (context) => answer(name, each as Route, context))
  app.notFound(async (context) => {
    const found = await otherwise(context.req.raw, context.env)
    if (found) return guarded(found)
    throw refuse(404, 'request-not-found', { what: 'such address' })
  })
  app.onError((error) => {
    const refusal = refusalFrom(error, world.log)
    return new Response(JSON.stringify(problemOf(refusal)), {
      status: refusal.status,
      headers: {
        'content-type': 'application/problem+json',
        'cache-control': 'no-store',
        ...refusal.headers,
        ...fixed,
      },
    })
  })
  return app

  async function answer(name: string, each: Route, context: Context<Env>): Promise<Response> {
    const started = performance.now()
    let status = 500
    try {
      const response = await handle(name, each, context)
      status = response.status
      return response
    } catch (error) {
      status = error instanceof Refusal ? error.status : 500
      throw error
    } finally {
      world.metrics.request(name, status, performance.now() - started)
    }
  }

  async function handle(name: string, each: Route, context: Context<Env>): Promise<Response> {
    const request = context.req.raw
    const address = context.env.incoming?.socket?.remoteAddress ?? ''
    const who = each.needs === 'nobody' ? nobody : await identify(request, address)
    if (each.needs !== 'nobody' && !mayDo(who.role, each.needs))
      throw refuse(403, 'role-too-weak', { needed: each.needs, role: who.role })
    const limiter = each.method === 'get' || each.often ? reads : changes
    limiter.spend(who.id || `${each.path} ${address}`)
    const params = checked(each.params, context.req.param())
    const query = checked(each.query, context.req.query())
    const body = each.body ? checked(each.body, await readJson(request)) : undefined
    if (each.person) world.proofs.need(who)
    const call = { params, query, body, who, world, request, outgoing: context.env.outgoing as never }
    if (each.method === 'get') {
      const read = { ...call, audit: async () => {} }
      if (!each.lasts) return respond(each, read, request)
      const key = `${name} ${JSON.stringify(query)}`
      return tagged(await answers(key, async () => writtenOf(await each.handle(read as never))), fixed, request)
    }
    const scope = `${who.id} ${each.method} ${context.req.path}`
    return repeatable(request, scope, body, () => change(name, each, call)).catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 401) attempts.spend(address)
      throw error
    })
  }

  /** With the headers of everything that the server sends. */
  async function respond(each: Route, call: object, reader?: Request): Promise<Response> {
    const result = await each.handle(call as never)
    return isResponse(result) ? guarded(result) : written(result, each, fixed, reader)
  }

  function guarded(response: Response): Response {
    // A stream has sent its own already.
    if (!response.headers.has('x-hono-already-sent'))
      for (const [name, value] of Object.entries(fixed)) response.headers.set(name, value)
    return response
  }

  /** Every change leaves a line in the journal, also where a handler forgets to write one. */
  async function change(name: string, each: Route, call: { who: Who }): Promise<Response> {
    let told = each.unaudited !== undefined
    const tell = async (what: string, more?: Readonly<Record<string, unknown>>) => {
      told = true
      await audit(call.who, what, more)
    }
    const response = await respond(each, { ...call, audit: tell })
    if (!told && response.status < 400) await tell(`did ${name}`)
    return response
  }

  /** A program by its token, a machine by its pass; a browser by its cookie, which only our own page may use to change something. */
  async function identify(request: Request, address: string): Promise<Who> {
    const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
    const cookie = cookieIn(request, world.cookie.name)
    const who =
      bearer !== undefined
        ? await (isPass(bearer) ? byPass(bearer) : world.access.byToken(bearer))
        : cookie !== undefined
          ? world.access.bySession(cookie)
          : undefined
    if (!who) {
      if (bearer !== undefined || cookie !== undefined) attempts.spend(address)
      throw refuse(401, 'sign-in-needed', {}, { 'www-authenticate': 'Bearer' })
    }
    if (who.kind === 'session' && request.method !== 'GET' && request.headers.get('origin') === null)
      throw refuse(403, 'server-origin', { origin: 'nowhere' })
    const proof = request.headers.get('x-hookline-proof')
    return proof === null ? who : { ...who, proof }
  }
}

/** A JWT has dots; no token of ours has. */
const isPass = (bearer: string): boolean => bearer.includes('.')

/** Not by its class: @hono/node-server has one of its own, and not all responses are of it. */
const isResponse = (result: unknown): result is Response =>
  typeof (result as Partial<Response> | undefined)?.arrayBuffer === 'function'

function checked(shape: Route['params'], value: unknown): unknown {
  if (!shape) return undefined
  const read = shape.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const place = issue?.path.join('.') ?? ''
  throw refuse(400, 'request-invalid', {
    detail: `${place === '' ? 'it' : `\`${place}\``} ${issue?.message || 'is wrong'}`,
  })
}

/** All headers at once: setting them one by one afterwards takes as long as the query. What a reader has already is not sent again. */
function written(result: unknown, { status = 200, type }: Route, fixed: object, reader?: Request): Response {
  if (type !== undefined)
    return new Response(String(result), {
      status,
      headers: { ...fixed, 'content-type': type, 'cache-control': 'no-store' },
    })
  if (reader) return tagged(writtenOf(result), fixed, reader)
  const headers = { ...fixed, 'content-type': 'application/json', 'cache-control': 'no-store' }
  return new Response(JSON.stringify(result), { status, headers })
}

function writtenOf(result: unknown): Written {
  const body = JSON.stringify(result)
  return { body, etag: `"${createHash('sha1').update(body).digest('base64url')}"` }
}

function tagged({ body, etag }: Written, fixed: object, reader: Request): Response {
  const headers = { ...fixed, 'content-type': 'application/json', 'cache-control': 'private, no-cache', etag }
  const isKnown = reader.headers.get('if-none-match')?.split(/,\s*/).includes(etag)
  return isKnown ? new Response(null, { status: 304, headers }) : new Response(body, { headers })
}
