import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { HookFailure } from '../../core/index.ts'
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
  /** The same with the body still to come: for answers that are read as they arrive. Its length is the reader's to bound. */
  open(request: Omit<Request, 'limit'>, allowLocal: boolean): Promise<Omit<Answer, 'body'> & { body: IncomingMessage }>
  close(): void
}

/** Shorter than servers wait by default, so that a request is seldom sent into a connection that is just being closed. */
const idleMs = 4_000

export function createConnections(): Connections {
  const options = { keepAlive: true, timeout: idleMs, maxSockets: 64, maxFreeSockets: 8 }
  const agents = () => ({ 'http:': new http.Agent(options), 'https:': new https.Agent(options) })
  // Made when somebody asks: a start that asks nobody does not load Node's HTTP and TLS for it.
  let made: Record<'outside' | 'local', ReturnType<typeof agents>> | undefined
  const agentFor = (url: URL, allowLocal: boolean) => {
    made ??= { outside: agents(), local: agents() }
    return made[allowLocal ? 'local' : 'outside'][url.protocol as 'http:' | 'https:']
  }
  return {
    async exchange(request, allowLocal) {
      const response = await ask(request, agentFor(request.url, allowLocal))
      return { ...headOf(response), body: await bodyOf(response, request) }
    },
    async open(request, allowLocal) {
      const headers = { 'accept-encoding': 'identity', ...request.headers }
      const response = await ask({ ...request, headers }, agentFor(request.url, allowLocal))
      return { ...headOf(response), body: response }
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

function ask(request: Omit<Request, 'limit'>, agent: http.Agent): Promise<IncomingMessage> {
  const { url, addresses, method, headers, body, ca, signal } = request
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
      resolve(response)
    })
    asked.end(body)
  })
}

async function bodyOf(response: IncomingMessage, { limit, signal }: Request): Promise<Buffer> {
  try {
    return await readBody(response, limit)
  } catch (error) {
    response.destroy()
    throw signal.aborted ? aborted() : error
  }
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
