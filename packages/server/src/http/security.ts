import type { Asking } from './checks.ts'
import { refuse } from './problem.ts'

/** The names under which browsers may reach this server, and what the page there may do. */
export interface Surface {
  /** `host:port` as browsers send it. */
  hosts: ReadonlySet<string>
  origins: ReadonlySet<string>
  encrypted: boolean
  /** Whoever connects may be a proxy that speaks for others. */
  isBehindProxy: boolean
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const headers = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

export const securityHeaders = ({ encrypted }: Surface): Record<string, string> => ({
  ...headers,
  ...(encrypted && { 'strict-transport-security': 'max-age=31536000' }),
})

/**
 * A page of another site may make a browser send requests here, also under a name of its own that leads to this machine
 * (DNS rebinding). So the name must be ours, and where the browser says which page asks, that must be ours too.
 */
export function mustBeOurPage({ hosts, origins }: Surface, { method, headers }: Asking): void {
  const host = headers.get('host') ?? ''
  if (!hosts.has(host.toLowerCase())) throw refuse(421, 'server-host', { host: host.slice(0, 100) })
  const origin = headers.get('origin')
  if (origin !== null && !origins.has(origin.toLowerCase()))
    throw refuse(403, 'server-origin', { origin: origin.slice(0, 100) })
  const site = headers.get('sec-fetch-site')
  const opensPage = method === 'GET' && headers.get('sec-fetch-mode') === 'navigate'
  if (site !== null && site !== 'same-origin' && site !== 'none' && !opensPage)
    throw refuse(403, 'server-origin', { origin: site })
}
