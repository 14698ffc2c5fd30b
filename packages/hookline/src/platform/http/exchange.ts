import type { Agent, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { RequestOptions } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import { HookFailure } from '../../core/index.ts'

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

/** Node's own parts are opened when somebody asks: a start that asks nobody does without HTTP, TLS and the decoders. */
const http = () => process.getBuiltinModule('node:http')
const https = () => process.getBuiltinModule('node:https')
const zlib = () => process.getBuiltinModule('node:zlib')

export function createConnections(): Connections {
  const options = { keepAlive: true, timeout: idleMs, maxSockets: 64, maxFreeSockets: 8 }
  const agents = () => ({ 'http:': new (http().Agent)(options), 'https:': new (https().Agent)(options) })
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

function ask(request: Omit<Request, 'limit'>, agent: Agent): Promise<IncomingMessage> {
  const { url, addresses, method, headers, body, ca, signal } = request
  return new Promise((resolve, reject) => {
    let receivedBefore = 0
    const fail = (error: NodeJS.ErrnoException) => {
      if (signal.aborted) return reject(aborted())
      const received = url.protocol === 'http:' && (sent.socket?.bytesRead ?? 0) > receivedBefore
      const Kind = brokenConnection.has(error.code ?? '') && !received ? NothingReceived : HookFailure
      reject(new Kind('http', `${url.origin} could not be reached: ${describe(error)}`))
    }
    const sent = (url.protocol === 'https:' ? https() : http()).request({
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      path: `${url.pathname}${url.search}`,
      method,
      headers: { 'accept-encoding': 'gzip, deflate, br', ...headers, host: url.host },
      agent,
      lookup: pinned(addresses),
      signal,
      // Written out, because an environment variable of the host could turn it off otherwise.
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca }),
    } as RequestOptions)
    sent.on('socket', (socket) => {
      receivedBefore = socket.bytesRead
    })
    sent.on('error', fail)
    sent.on('response', (response) => {
      sent.off('error', fail)
      sent.on('error', () => {}) // the same error reaches the response
      resolve(response)
    })
    sent.end(body)
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

const decoders: Record<string, () => Duplex> = {
  gzip: () => zlib().createGunzip(),
  'x-gzip': () => zlib().createGunzip(),
  deflate: () => zlib().createInflate(),
  br: () => zlib().createBrotliDecompress(),
}

/** The whole body, decompressed. Both what arrives and what it unpacks to are bounded. */
async function readBody(response: IncomingMessage, limit: number): Promise<Buffer> {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity') return collect(response, limit)
  const decoder = decoders[encoding]?.()
  if (!decoder) throw new HookFailure('http', `The answer is encoded as ${encoding}, which was not asked for.`)
  const unpacked = collect(decoder, limit)
  let arrived = 0
  response.on('data', (chunk: Buffer) => {
    arrived += chunk.length
    if (arrived > limit) decoder.destroy(tooLarge(limit))
  })
  response.on('error', (error) => decoder.destroy(error))
  response.pipe(decoder)
  try {
    return await unpacked
  } finally {
    response.unpipe(decoder)
    decoder.destroy()
  }
}

async function collect(stream: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > limit) throw tooLarge(limit)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof HookFailure) throw error
    throw new HookFailure('http', `The answer broke off: ${(error as Error).message}`)
  }
  return Buffer.concat(chunks)
}

const tooLarge = (limit: number) => new HookFailure('output-limit', `The answer is larger than ${limit} bytes.`)

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
