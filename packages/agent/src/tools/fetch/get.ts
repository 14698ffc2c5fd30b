import { type Answer, admit, type Connections, HookFailure, systemResolve } from 'hookline/internal'
import { ToolFailure } from '../../core/index.ts'

export interface Web {
  connections: Connections
  allowLocal: boolean
  /** Sent to the requested host, and not to hosts it redirects to. */
  headers: Readonly<Record<string, string>>
  /** Throws `ToolFailure` for a host that the toolset does not allow. */
  check(url: URL): void
}

const mostRedirects = 5
const mostBytes = 1024 * 1024

/** Follows redirects; each hop is checked like the first URL, down to the address that is connected to. */
export async function get(
  text: string,
  web: Web,
  signal: AbortSignal,
): Promise<Pick<Answer, 'status' | 'headers' | 'body'> & { url: URL }> {
  const first = parse(text)
  let url = first
  for (let hop = 0; hop <= mostRedirects; hop++) {
    web.check(url)
    const answer = await ask(url, url.host === first.host ? web.headers : {}, web, signal)
    const { location } = answer.headers
    if (!redirects.has(answer.status) || location === undefined) return { ...answer, url }
    url = parse(location, url)
  }
  throw new ToolFailure(`More than ${mostRedirects} redirects.`)
}

const redirects = new Set([301, 302, 303, 307, 308])

async function ask(url: URL, headers: Web['headers'], web: Web, signal: AbortSignal): Promise<Answer> {
  const { connections, allowLocal } = web
  try {
    const addresses = await admit(url, { resolve: systemResolve, allowLocal, signal })
    const accept = 'text/html, text/plain, text/markdown, application/json, */*;q=0.5'
    const request = { url, addresses, method: 'GET', limit: mostBytes, signal }
    return await connections.exchange(
      { ...request, headers: { 'user-agent': 'hookline', accept, ...headers } },
      allowLocal,
    )
  } catch (error) {
    if (error instanceof HookFailure && error.kind === 'ssrf') throw new ToolFailure(`${error.message} ${advice}`)
    throw error instanceof HookFailure ? new ToolFailure(error.message) : error
  }
}

const advice = 'Only public addresses can be fetched, unless the toolset has `allow_private_ips: true`.'

function parse(text: string, base?: URL): URL {
  try {
    return new URL(text, base)
  } catch {
    throw new ToolFailure(`${JSON.stringify(text.slice(0, 200))} is not a URL. Write it in full: https://…`)
  }
}
