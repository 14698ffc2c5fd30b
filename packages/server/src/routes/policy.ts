import type { ServerResponse } from 'node:http'
import * as z from 'zod/mini'
import type { Asking } from '../http/checks.ts'
import { sendLater } from '../http/later.ts'
import { refuse } from '../http/problem.ts'
import { plain, route } from '../http/route.ts'
import type { Sent } from '../http/sent.ts'
import type { PolicyFile } from '../policy/index.ts'
import type { World } from '../world.ts'

/** The most that a request waits, in seconds. */
const mostWait = 120

export const policyFile = route({
  method: 'get',
  path: '/policy/:path{.+}',
  summary:
    'A file of the policy’s repository. With `If-None-Match` and `Prefer: wait=<seconds>`, the answer waits until it is another.',
  needs: 'machine',
  params: z.object({ path: z.string() }),
  answer: plain,
  type: 'application/octet-stream',
  async handle({ params: { path }, asking, outgoing, who, world }) {
    const known = asking.headers.get('if-none-match')
    const now = world.policies.read(path)
    if (!now) throw refuse(404, 'request-not-found', { what: `file ${path} in a policy` })
    const wait = waitIn(asking)
    const applied: Record<string, string> = wait > 0 ? { 'preference-applied': `wait=${wait}` } : {}
    if (wait === 0 || now.etag !== known)
      return sendLater(outgoing, world, answered(now, known, { ...applied, 'hookline-group': who.group! }))
    return sendLater(outgoing, world, afterWait(path, now, wait, { id: who.id, applied, outgoing, world }))
  },
})

interface Waiter {
  id: string
  applied: Record<string, string>
  outgoing: ServerResponse
  world: Pick<World, 'policies' | 'machines'>
}

async function afterWait(path: string, now: PolicyFile, wait: number, waiter: Waiter): Promise<Sent> {
  const { id, applied, outgoing, world } = waiter
  const { policies, machines } = world
  const found = (await policies.changed(path, now.etag, wait * 1000, outgoing)) ?? now
  // It may have been revoked, or moved, while it waited.
  const machine = await machines.find(id)
  if (machine?.revoked !== null) throw refuse(401, 'machine-unknown', {})
  return answered(found, now.etag, { ...applied, 'hookline-group': machine.group })
}

function waitIn({ headers }: Asking): number {
  const [, seconds] = /(?:^|[\s,;])wait=(\d{1,4})\b/.exec(headers.get('prefer') ?? '') ?? []
  return Math.min(Number(seconds ?? 0), mostWait)
}

function answered({ bytes, etag }: PolicyFile, known: string | null, more: Record<string, string>): Sent {
  const headers = { etag, 'cache-control': 'no-cache', 'content-type': 'application/octet-stream', ...more }
  return etag === known ? { status: 304, headers, body: null } : { status: 200, headers, body: bytes }
}
