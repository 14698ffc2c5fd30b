import { type Answer, admit, createConnections, systemResolve } from 'hookline/internal'
import type { SecureFetch } from 'just-bash'

const mostRedirects = 5
const mostBytes = 8 * 1024 * 1024
const methods = new Set(['GET', 'HEAD', 'POST'])

const connections = createConnections()

/** What `curl` in the sandbox asks with: only below the given URL prefixes, and never a private address. */
export async function fetchAllowed(
  allow: readonly string[],
  text: string,
  options: Parameters<SecureFetch>[1] = {},
): ReturnType<SecureFetch> {
  const signal = options.signal ?? new AbortController().signal
  let url = new URL(text)
  let method = (options.method ?? 'GET').toUpperCase()
  let { body } = options
  for (let hop = 0; ; hop++) {
    if (!methods.has(method)) throw new Error(`the method ${method} is not allowed in the sandbox`)
    if (!allow.some((prefix) => isBelow(url, new URL(prefix)))) throw new Error(`${url.href} is not in network.allow`)
    const addresses = await admit(url, { resolve: systemResolve, allowLocal: false, signal })
    const headers = Object.fromEntries(new Headers(options.headers))
    const request = {
      url,
      addresses,
      method,
      headers,
      limit: mostBytes,
      signal,
      ...(body === undefined ? {} : { body }),
    }
    const answer = await connections.exchange(request, false)
    const next = options.followRedirects === false ? undefined : redirectOf(answer, url)
    if (!next) return { ...answer, url: url.href }
    if (hop >= Math.min(options.maxRedirects ?? mostRedirects, mostRedirects)) throw new Error('too many redirects')
    if (answer.status < 307 && method === 'POST') {
      method = 'GET'
      body = undefined
    }
    url = next
  }
}

const redirects = new Set([301, 302, 303, 307, 308])

function redirectOf({ status, headers }: Answer, url: URL): URL | undefined {
  return redirects.has(status) && headers['location'] !== undefined ? new URL(headers['location'], url) : undefined
}

/** Same origin, and the prefix ends where a segment of the path does. An encoded slash could mean another path to the server. */
function isBelow(url: URL, prefix: URL): boolean {
  if (url.origin !== prefix.origin || /%2f|%5c/i.test(url.pathname)) return false
  const directory = prefix.pathname.endsWith('/') ? prefix.pathname : `${prefix.pathname}/`
  return url.pathname === prefix.pathname || url.pathname.startsWith(directory)
}
