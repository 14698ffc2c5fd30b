import type { IncomingMessage } from 'node:http'
import { formatPath, validate } from 'hookline/internal/start'
import { nobody, type Who } from '../access/index.ts'
import type { EarlyWorld } from '../world.ts'
import { cookieIn } from './cookie.ts'
import type { Limits } from './limits.ts'
import { refuse } from './problem.ts'
import { mayDo, type Route } from './route.ts'

/** What is looked at of a request before anything is done for it. */
export interface Asking {
  method: string
  headers: { get(name: string): string | null }
}

/** Headers of the web are not made for it: they take longer than the checks, and stay in memory as long as the request. */
export const askingOf = ({ method = '', headers }: IncomingMessage): Asking => ({
  method,
  headers: { get: (name) => headers[name]?.toString() ?? null },
})

export interface ChecksOptions {
  world: EarlyWorld
  limits: Limits
  /** Whose pass it is, where a machine of the fleet shows one. */
  byPass(token: string, policy: string | null): Promise<Who | undefined>
}

/** Who it is, whether they may, and not too often: the same for every route, in the same order. */
export function makeChecks({ world, limits: { attempts, changes, reads }, byPass }: ChecksOptions) {
  return async (each: Route, request: Asking, address: string): Promise<Who> => {
    const who = each.needs === 'nobody' ? nobody : await identify(request, address)
    if (each.needs !== 'nobody' && !mayDo(who.role, each.needs))
      throw refuse(403, 'role-too-weak', { needed: each.needs, role: who.role })
    const limiter = each.method === 'get' || each.often ? reads : changes
    limiter.spend(who.id || `${each.path} ${address}`)
    return who
  }

  /** A program by its token, a machine by its pass; a browser by its cookie, which only our own page may use to change something. */
  async function identify(request: Asking, address: string): Promise<Who> {
    const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
    const cookie = cookieIn(request, world.cookie.name)
    const who =
      bearer !== undefined
        ? await (isPass(bearer) ? byPass(bearer, request.headers.get('hookline-policy')) : world.access.byToken(bearer))
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

/** What a route says of its parameters, query or body, read. */
export function checked(shape: Route['params'], value: unknown): unknown {
  if (!shape) return undefined
  const read = validate(shape, value)
  if (read.ok) return read.value
  const [first] = read.problems
  const place = formatPath(first?.path ?? [])
  throw refuse(400, 'request-invalid', {
    detail: `${place === '' ? 'it' : `\`${place}\``} ${first?.detail ?? 'is wrong'}`,
  })
}
