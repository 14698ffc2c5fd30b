import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { isIP } from 'node:net'
import { HooklineError, note } from 'hookline/internal/start'
import type { Surface } from './security.ts'

export interface Address {
  host: string
  port: number
}

export interface Tls {
  cert: string
  key: string
}

export function readAddress(written: string): Address | undefined {
  const [, name = '', port = ''] = /^(?:(\[[0-9a-fA-F:]+\]|[^:[\]]+):)?(\d{1,5})$/.exec(written) ?? []
  if (port === '' || Number(port) > 65_535) return undefined
  return { host: name === '' ? '127.0.0.1' : name.replace(/^\[|\]$/g, ''), port: Number(port) }
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** What nothing encrypts does not leave this machine: neither to who listens here, nor to who stands before it. */
export function mustBeSafe({ host, port }: Address, tls: Tls | undefined, publicUrl: URL | undefined): void {
  const isPlain = publicUrl?.protocol === 'http:' && !isLoopback(publicUrl.hostname.replace(/^\[|\]$/g, ''))
  if (isPlain) throw new HooklineError(note('server-open', { address: publicUrl.origin }))
  if (isLoopback(host) || tls || publicUrl?.protocol === 'https:') return
  throw new HooklineError(note('server-open', { address: `${host}:${port}` }))
}

/** The names of it that browsers may send. Where it is open to other machines and a proxy encrypts, only the name of the proxy counts. */
export function surfaceOf({ host, port }: Address, tls: Tls | undefined, publicUrl: URL | undefined): Surface {
  const scheme = tls ? 'https' : 'http'
  const names = isLoopback(host)
    ? ['127.0.0.1', 'localhost', '[::1]', 'hookline.localhost']
    : tls
      ? [isIP(host) === 6 ? `[${host}]` : host]
      : []
  const own = names.map((name) => `${name}:${port}`)
  const hosts = [...own, ...(publicUrl ? [publicUrl.host] : [])]
  const origins = [...own.map((each) => `${scheme}://${each}`), ...(publicUrl ? [publicUrl.origin] : [])]
  return {
    hosts: new Set(hosts.map((each) => each.toLowerCase())),
    origins: new Set(origins.map((each) => each.toLowerCase())),
    encrypted: tls !== undefined || publicUrl?.protocol === 'https:',
    isBehindProxy: publicUrl !== undefined,
  }
}

/** How long clients may take. Node looks for slow ones every half minute, unless it is given a shorter time. */
const patience = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 1_000,
}

/** Listens, with time limits that no slow client outlives. Idle connections stay for as long as clients and proxies usually keep theirs: who closes first cuts off a request. The port is known before anything answers: its names depend on it. */
export async function listen(
  { host, port }: Address,
  tls: Tls | undefined,
  make: (at: Address) => RequestListener,
): Promise<{ server: Server; at: Address; replace(listener: RequestListener): void }> {
  let answer: RequestListener = (_incoming, outgoing) => outgoing.writeHead(503).end()
  const server = await serverFor(tls, (incoming, outgoing) => answer(incoming, outgoing))
  server.maxConnections = 4_096
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(`${host}:${port}`, error)))
    server.listen(port, host, resolve)
  })
  const taken = server.address()
  const at = { host, port: typeof taken === 'object' && taken !== null ? taken.port : port }
  answer = make(at)
  return {
    server,
    at,
    replace(other) {
      answer = other
    },
  }
}

async function serverFor(tls: Tls | undefined, listener: RequestListener): Promise<Server> {
  if (!tls) return createServer(patience, listener)
  const [cert, key] = [readOrSay(tls.cert), readOrSay(tls.key)]
  const https = await import('node:https')
  try {
    return https.createServer({ cert, key, ...patience }, listener)
  } catch (error) {
    throw new HooklineError(note('server-file', { file: tls.cert, detail: wordsOf(error) }))
  }
}

function cannotListen(address: string, error: NodeJS.ErrnoException): Error {
  if (error.code === 'EADDRINUSE') return new HooklineError(note('server-taken', { address }))
  return new HooklineError(note('server-address', { address, detail: wordsOf(error) }))
}

function readOrSay(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new HooklineError(note('server-file', { file, detail: wordsOf(error) }))
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
