import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { Who } from '../access/index.ts'
import { makeAnswers } from './answers.ts'
import { readJson } from './body.ts'
import { type Asking, askingOf, type ChecksOptions, checked, makeChecks } from './checks.ts'
import { Refusal, refuse } from './problem.ts'
import { makeRepeatable } from './repeat.ts'
import type { Route } from './route.ts'
import { mustBeOurPage, securityHeaders } from './security.ts'
import { problemSent, type Sent, tagged, writtenOf } from './sent.ts'

type Env = { Bindings: HttpBindings }

export interface AppOptions extends ChecksOptions {
  routes: Readonly<Record<string, Route>>
  /** Writes down in the journal what somebody changed. */
  recordChange(who: Who, what: string, more?: Readonly<Record<string, unknown>>): Promise<void>
  /** What is at addresses that are not in the table; undefined: nothing. */
  otherwise(request: Request, bindings: HttpBindings): Response | Promise<Response> | undefined
}

/** The web application: every route of the table, behind the same checks in the same order. */
export function makeApp({ world, routes, limits, byPass, recordChange, otherwise }: AppOptions): Hono<Env> {
  const app = new Hono<Env>()
  const fixed = securityHeaders(world.surface)
  const repeatable = makeRepeatable(world.sql)
  const answers = makeAnswers(world.sql)
  const admit = makeChecks({ world, limits, byPass })

  app.use(async (context, next) => {
    mustBeOurPage(world.surface, askingOf(context.env.incoming as IncomingMessage))
    await next()
  })
  for (const [name, each] of Object.entries(routes))
    app.on(each.method.toUpperCase(), each.path, (context) => answer(name, each as Route, context))
  app.notFound(async (context) => {
    const found = await otherwise(context.req.raw, context.env)
    if (found) return guarded(found)
    throw refuse(404, 'request-not-found', { what: 'such address' })
  })
  app.onError((error) => responseOf(problemSent(error, fixed, world.log)))
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
    const incoming = context.env.incoming as IncomingMessage
    const asking = askingOf(incoming)
    const address = incoming.socket.remoteAddress ?? ''
    const who = await admit(each, asking, address)
    const params = checked(each.params, context.req.param())
    const query = checked(each.query, context.req.query())
    const body = each.body ? checked(each.body, await readJson(request)) : undefined
    if (each.person) world.proofs.need(who)
    const call = { params, query, body, who, world, request, asking, outgoing: context.env.outgoing as never }
    if (each.method === 'get') {
      const read = { ...call, recordChange: async () => {} }
      if (!each.lasts) return respond(each, read, asking)
      const key = `${name} ${JSON.stringify(query)}`
      const found = await answers(key, async () => writtenOf(await each.handle(read as never)))
      return responseOf(tagged(found, fixed, asking))
    }
    const scope = `${who.id} ${each.method} ${context.req.path}`
    return repeatable(request, scope, body, () => change(name, each, call)).catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 401) limits.attempts.spend(address)
      throw error
    })
  }

  /** With the headers of everything that the server sends. */
  async function respond(each: Route, call: object, reader?: Asking): Promise<Response> {
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
      await recordChange(call.who, what, more)
    }
    const response = await respond(each, { ...call, recordChange: tell })
    if (!told && response.status < 400) await tell(`did ${name}`)
    return response
  }
}

/** Not by its class: @hono/node-server has one of its own, and not all responses are of it. */
const isResponse = (result: unknown): result is Response =>
  typeof (result as Partial<Response> | undefined)?.arrayBuffer === 'function'

/** All headers at once: setting them one by one afterwards takes as long as the query. */
function written(
  result: unknown,
  { status = 200, type }: Route,
  fixed: Readonly<Record<string, string>>,
  reader?: Asking,
): Response {
  if (type !== undefined)
    return new Response(String(result), {
      status,
      headers: { ...fixed, 'content-type': type, 'cache-control': 'no-store' },
    })
  if (reader) return responseOf(tagged(writtenOf(result), fixed, reader))
  const headers = { ...fixed, 'content-type': 'application/json', 'cache-control': 'no-store' }
  return new Response(JSON.stringify(result), { status, headers })
}

const responseOf = ({ status, headers, body }: Sent): Response => new Response(body, { status, headers })
