import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { EarlyWorld } from '../world.ts'
import { securityHeaders } from './security.ts'
import { problemSent, type Sent, sendOn } from './sent.ts'

/**
 * Answers whenever it is ready, on Node's own response. Whoever waits for minutes holds a connection meanwhile, and nothing of what was made of
 * the request: that is more than the connection takes.
 */
export function sendLater(
  outgoing: ServerResponse,
  { surface, log }: Pick<EarlyWorld, 'surface' | 'log'>,
  ready: Sent | Promise<Sent>,
): Response {
  void Promise.resolve(ready)
    .catch((error) => problemSent(error, {}, log))
    .then((sent) => sendOn(outgoing, { ...sent, headers: { ...securityHeaders(surface), ...sent.headers } }))
  return RESPONSE_ALREADY_SENT
}
