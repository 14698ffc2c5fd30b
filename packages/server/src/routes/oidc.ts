import * as z from 'zod/mini'
import type { Oidc } from '../access/index.ts'
import { cookieIn, sessionCookie } from '../http/cookie.ts'
import { refuse } from '../http/problem.ts'
import { plain, route } from '../http/route.ts'
import { recordChange } from '../record-change.ts'
import type { World } from '../world.ts'

const callback = '/api/oidc/callback'

export const showProvider = route({
  method: 'get',
  path: '/api/oidc',
  summary: 'The identity provider that people can sign in with (OpenID Connect), where the server has one.',
  needs: 'nobody',
  answer: z.object({ provider: z.nullable(z.string()) }),
  handle: async ({ world }) => ({ provider: world.oidc?.provider ?? null }),
})

export const beginSignIn = route({
  method: 'get',
  path: '/api/oidc/sign-in',
  summary: 'Sends a browser to the identity provider; `to` is the page that it comes back to.',
  needs: 'nobody',
  // One slash: two would be another server.
  query: z.object({ to: z.optional(z.string().check(z.maxLength(2_000), z.regex(/^\/(?![/\\])[^\r\n]*$/))) }),
  answer: plain,
  type: 'text/html',
  status: 302,
  async handle({ query: { to = '/' }, world }) {
    const oidc = providerOf(world)
    try {
      const { location, ticket } = await oidc.begin(world.url + callback, to)
      return redirect(location, ticketCookie(ticket, world))
    } catch (error) {
      return failed(error, world)
    }
  },
})

export const finishSignIn = route({
  method: 'get',
  path: callback,
  summary: 'Where the identity provider sends the browser back to: signs it in with the role that its claim gives.',
  needs: 'nobody',
  answer: plain,
  type: 'text/html',
  status: 302,
  async handle({ request, world }) {
    const oidc = providerOf(world)
    const ticket = cookieIn(request, ticketName(world))
    const used = ticketCookie('', world, 0)
    if (ticket === undefined) return failed(new Error('this browser has not begun to sign in'), world, used)
    const { pathname, search } = new URL(request.url)
    try {
      const vouched = await oidc.finish(new URL(pathname + search, world.url), ticket)
      if (!vouched) return redirect('/#sign-in-refused', used)
      const { cookie, who } = world.access.open(vouched.name, vouched.role, { isVouched: vouched.isPerson })
      await recordChange(world, who, `signed in as ${who.role} with ${oidc.provider}`)
      const proof = vouched.isPerson ? `#proof=${world.proofs.vouch(who)}` : ''
      return redirect(vouched.to + proof, used, sessionCookie(cookie, world.cookie))
    } catch (error) {
      return failed(error, world, used)
    }
  },
})

function providerOf({ oidc }: World): Oidc {
  if (oidc) return oidc
  throw refuse(404, 'request-not-found', { what: 'identity provider' })
}

/** The page says what to do; what went wrong is for whoever looks after the server. */
function failed(error: unknown, { log }: World, ...cookies: string[]): Response {
  const { message, cause } = error as Error & { cause?: { error?: string; message?: string } }
  log(`Signing in with the identity provider failed: ${message}${cause ? ` (${cause.error ?? cause.message})` : ''}`)
  return redirect('/#sign-in-failed', ...cookies)
}

function redirect(to: string, ...cookies: string[]): Response {
  const headers = new Headers({ location: to, 'cache-control': 'no-store' })
  for (const each of cookies) headers.append('set-cookie', each)
  return new Response(null, { status: 302, headers })
}

const ticketName = ({ cookie }: World): string => `${cookie.name}-ticket`

/** It comes back with a page of the provider, so it is Lax; and it is good for nothing else. */
const ticketCookie = (value: string, world: World, seconds = 600): string =>
  `${ticketName(world)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${world.cookie.secure ? '; Secure' : ''}`
