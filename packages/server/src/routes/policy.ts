import * as z from 'zod/mini'
import { refuse } from '../http/problem.ts'
import { plain, route } from '../http/route.ts'
import type { PolicyFile } from '../policy/index.ts'

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
  async handle({ params: { path }, request, outgoing, who, world: { policies, machines } }) {
    const known = request.headers.get('if-none-match')
    const now = policies.read(path)
    if (!now) throw refuse(404, 'request-not-found', { what: `file ${path} in a policy` })
    const wait = waitIn(request)
    const applied: Record<string, string> = wait > 0 ? { 'preference-applied': `wait=${wait}` } : {}
    if (wait === 0 || now.etag !== known) return answered(now, known, { ...applied, 'hookline-group': who.group! })
    const found = (await policies.changed(path, known, wait * 1000, outgoing)) ?? now
    // It may have been revoked, or moved, while it waited.
    const machine = await machines.find(who.id)
    if (machine?.revoked !== null) throw refuse(401, 'machine-unknown', {})
    return answered(found, known, { ...applied, 'hookline-group': machine.group })
  },
})

function waitIn(request: Request): number {
  const [, seconds] = /(?:^|[\s,;])wait=(\d{1,4})\b/.exec(request.headers.get('prefer') ?? '') ?? []
  return Math.min(Number(seconds ?? 0), mostWait)
}

function answered({ bytes, etag }: PolicyFile, known: string | null, more: Record<string, string>): Response {
  const headers = { etag, 'cache-control': 'no-cache', 'content-type': 'application/octet-stream', ...more }
  return etag === known ? new Response(null, { status: 304, headers }) : new Response(bytes, { headers })
}
