import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { makeAnswers } from './answers.ts'
import { askingOf, type ChecksOptions, checked, makeChecks } from './checks.ts'
import type { EarlyRoute, Route } from './route.ts'
import { mustBeOurPage, securityHeaders } from './security.ts'
import { problemSent, type Sent, sendOn, tagged, writtenOf } from './sent.ts'

export interface EarlyOptions extends ChecksOptions {
  routes: Readonly<Record<string, EarlyRoute>>
  /** What answers everything, once it is loaded. */
  whole(): Promise<RequestListener>
}

/**
 * Answers what needs the store alone before anything else is loaded, behind the same checks as everything: the web classes of Node and what is
 * made of them take longer to load than all that is here. Any other request waits for the rest.
 */
export function makeEarly({ routes, whole, ...given }: EarlyOptions): RequestListener {
  const { world } = given
  const fixed = securityHeaders(world.surface)
  const admit = makeChecks(given)
  const answers = makeAnswers(world.sql)
  const byPath = new Map(Object.entries(routes).map(([name, each]) => [each.path, { name, each: each as Route }]))

  return (incoming, outgoing) => {
    const [, path = '', search = ''] = /^([^?]*)\??(.*)$/s.exec(incoming.url ?? '') ?? []
    const found = incoming.method === 'GET' ? byPath.get(path) : undefined
    if (found) void answer(found.name, found.each, search, incoming, outgoing)
    else
      whole().then(
        (listener) => listener(incoming, outgoing),
        () => outgoing.destroy(),
      )
  }

  async function answer(
    name: string,
    each: Route,
    search: string,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> {
    const started = performance.now()
    const sent = await read(name, each, search, incoming).catch((error) => problemSent(error, fixed, world.log))
    sendOn(outgoing, sent)
    world.metrics.request(name, sent.status, performance.now() - started)
  }

  async function read(name: string, each: Route, search: string, incoming: IncomingMessage): Promise<Sent> {
    const request = askingOf(incoming)
    mustBeOurPage(world.surface, request)
    const who = await admit(each, request, incoming.socket.remoteAddress ?? '')
    const query = checked(each.query, queryOf(search))
    const handle = async () => writtenOf(await each.handle({ query, who, world, request } as never))
    return tagged(await (each.lasts ? answers(`${name} ${JSON.stringify(query)}`, handle) : handle()), fixed, request)
  }
}

/** Of what is named twice, the first counts. */
function queryOf(search: string): Record<string, string> {
  const query: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(search)) if (!Object.hasOwn(query, name)) query[name] = value
  return query
}
