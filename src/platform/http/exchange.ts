import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { HookFailure } from '../../core/outcome.ts'
import { readBody } from './body.ts'

export interface Request {
  url: URL
  /** Checked addresses of the host; the connection goes to one of these. */
  addresses: readonly string[]
  method: string
  headers: OutgoingHttpHeaders
  body?: string
  /** Certificate authorities to trust instead of the usual ones. */
  ca?: string
  /** Bytes of the answer's body, before and after decompression. */
  limit: number
  signal: AbortSignal
}

export interface Answer {
  status: number
  statusText: string
  headers: Record<string, string>
  body: Buffer
}

/** Connections kept alive between requests. A connection is only ever reused by requests that may reach local addresses if it may. */
export interface Connections {
  exchange(request: Request, allowLocal: boolean): Promise<Answer>
  close(): void
}

/** Shorter than servers wait by default, so that a request is seldom sent into a connection that is just being closed. */
const idleMs = 4_000

export function createConnections(): Connections {
  const options = { keepAlive: true, timeout: idleMs, maxSockets: 64, maxFreeSockets: 8 }
  const agents = () => ({ 'http:': new http.Agent(options), 'https:': new https.Agent(options) })
  // Made when somebody asks: a start that asks nobody does not load Node's HTTP and TLS for it.
  let made: Record<'outside' | 'local', ReturnType<typeof agents>> | undefined
  return {
    exchange(request, allowLocal) {
      made ??= { outside: agents(), local: agents() }
      return exchange(request, made[allowLocal ? 'local' : 'outside'][request.url.protocol as 'http:' | 'https:'])
    },
    close() {
      for (const pair of Object.values(made ?? {})) for (const agent of Object.values(pair)) agent.destroy()
    },
  }
}

/** The connection failed before anything of an answer arrived. */
export class NothingReceived extends HookFailure {}

const brokenConnection = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
])

function exchange(request: Request, agent: http.Agent): Promise<Answer> {
  const { url, addresses, method, headers, body, ca, signal, limit } = request
  return new Promise((resolve, reject) => {
    let receivedBefore = 0
    const fail = (error: NodeJS.ErrnoException) => {
      if (signal.aborted) return reject(aborted())
      const received = url.protocol === 'http:' && (asked.socket?.bytesRead ?? 0) > receivedBefore
      const Kind = brokenConnection.has(error.code ?? '') && !received ? NothingReceived : HookFailure
      reject(new Kind('http', `${url.origin} could not be asked: ${describe(error)}`))
    }
    const asked = (url.protocol === 'https:' ? https : http).request({
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      path: `${url.pathname}${url.search}`,
      method,
      headers: { 'accept-encoding': 'gzip, deflate, br', ...headers, host: url.host },
      agent,
      lookup: pinned(addresses),
      signal,
      // Said aloud, because an environment variable of the host could turn it off otherwise.
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca }),
    } as https.RequestOptions)
    asked.on('socket', (socket) => {
      receivedBefore = socket.bytesRead
    })
    asked.on('error', fail)
    asked.on('response', (response) => {
      asked.off('error', fail)
      asked.on('error', () => {}) // the same error reaches the response
      readBody(response, limit).then(
        (bytes) => resolve({ ...headOf(response), body: bytes }),
        (error) => {
          asked.destroy()
          reject(signal.aborted ? aborted() : error)
        },
      )
    })
    asked.end(body)
  })
}

/** Whatever name the connection asks for, it gets the addresses that were checked. */
function pinned(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_name, options, callback) => {
    if (options.all) return callback(null, answers)
    const [first] = answers
    if (first) callback(null, first.address, first.family)
    else callback(new Error('there is no checked address'), '', 0)
  }
}

function headOf(response: IncomingMessage): Omit<Answer, 'body'> {
  const headers: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(response.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  return { status: response.statusCode ?? 0, statusText: response.statusMessage ?? '', headers }
}

const aborted = () => new HookFailure('aborted', 'Stopped before the answer had arrived.')

function describe(error: NodeJS.ErrnoException): string {
  return error.message || error.code || error.name
}
