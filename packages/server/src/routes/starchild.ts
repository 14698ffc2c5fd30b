import type { IncomingMessage } from 'node:http'
import { inspectHooks, isCalled, maySelfApprove, openSwitch, openTrust } from 'hookline/internal'
import * as z from 'zod/mini'
import { calledIn } from '../called-in.ts'
import { isLoopback } from '../http/listen.ts'
import { refuse } from '../http/problem.ts'
import { route } from '../http/route.ts'
import type { World } from '../world.ts'

/**
 * Starchild's document: an agent approves a hook that it has just written, with one call on its own machine and no token. It is
 * there only where the user allows that (`trust: { self_approve: loopback }` in their own config); else it is not found, upon
 * which Starchild's skill falls back to asking the user.
 */
export const selfApprove = route({
  method: 'post',
  path: '/internal/runtime/hooks/approve',
  summary:
    'Starchild’s way for an agent to approve its own hooks: on this machine alone, and only with `trust: { self_approve: loopback }`; else not found.',
  needs: 'nobody',
  body: z.object({
    command: z.string().check(z.minLength(1), z.maxLength(4_096)),
    enable_master: z.optional(z.boolean()),
  }),
  answer: z.object({
    ok: z.literal(true),
    events: z.array(z.string()),
    mounted: z.int(),
    master_enabled: z.boolean(),
  }),
  async handle({ body: { command, enable_master: enable = true }, outgoing, request, world, recordChange }) {
    const here = calledIn(world.cwd)
    if (!isFromHere(request, outgoing.req, world) || !(await maySelfApprove(here)))
      throw refuse(404, 'request-not-found', { what: 'such address' })
    const trust = openTrust()
    const { inspections } = await inspectHooks(trust, here, { strict: false, cached: false })
    const named = inspections.filter(({ hook }) => isCalled(command, hook.id, hook.run))
    if (named.length === 0) throw refuse(422, 'request-invalid', { detail: 'no hook in the config runs this command' })
    await trust.approve(named, inspections, 'self')
    const master = openSwitch(trust.store.directory)
    if (enable) master.on()
    for (const { hook, digest } of named)
      await recordChange(`approved its own hook ${hook.id}`, { digest, file: hook.origin.where?.file })
    return {
      ok: true as const,
      events: [...new Set(named.map(({ hook }) => hook.event))],
      mounted: named.length,
      master_enabled: master.since() === undefined,
    }
  },
})

/**
 * Whether a program on this machine sends it, and no proxy for somebody elsewhere: the address of the connection itself counts,
 * a server that stands behind a proxy has no such callers, and what a proxy adds gives it away.
 */
function isFromHere(request: Request, { socket }: IncomingMessage, { surface }: World): boolean {
  const forwarded = [...request.headers.keys()].some((name) =>
    /^(?:forwarded$|via$|x-forwarded-|x-real-|cf-)/.test(name),
  )
  const address = socket.remoteAddress?.replace(/^::ffff:/, '') ?? ''
  return isLoopback(address) && !forwarded && !surface.isBehindProxy
}
