import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import * as z from 'zod/mini'
import { type Call, mayDo } from '../http/route.ts'
import { securityHeaders } from '../http/security.ts'
import type { EarlyWorld } from '../world.ts'

export const eventId = z.string().check(z.regex(/^\d{1,15}(\.\d{1,9})?$/))

type Streamed = Pick<Call<undefined, undefined, undefined, EarlyWorld>, 'request' | 'outgoing' | 'who' | 'world'>

interface Wanted {
  after?: string | undefined
  types?: string | undefined
  session?: string | undefined
  attended?: string | undefined
}

/** Sends a stream of events as the answer, for as long as whoever reads it may. */
export function streamTo({ request, outgoing, who, world }: Streamed, wanted: Wanted): Response {
  const last = request.headers.get('last-event-id')
  const after = last !== null && eventId.safeParse(last).success ? last : wanted.after
  outgoing.writeHead(200, {
    ...securityHeaders(world.surface),
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  world.hub.open(outgoing, {
    after,
    types: wanted.types?.split(','),
    session: wanted.session,
    attended: wanted.attended === 'true' && mayDo(who.role, 'operator'),
    allowed: () => world.access.stillIn(who),
  })
  return RESPONSE_ALREADY_SENT
}
