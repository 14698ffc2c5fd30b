import { pipeline, Readable, Transform } from 'node:stream'
import { HookFailure } from '../../core/index.ts'
import { admit, systemResolve } from './admit.ts'
import { type Connections, NothingReceived, type Request as Outgoing } from './exchange.ts'

export interface FetchOptions {
  connections: Connections
  allowLocal: boolean
  /** Bytes of an answer. */
  limit: number
  /** What to do about a refusal, where the advice for hooks does not fit. */
  remedy?: string
}

export type Fetch = typeof globalThis.fetch

/**
 * The `fetch` that providers' packages are given: it goes only where it may, to the very addresses that were checked,
 * follows no redirects (they would carry the key and the payload elsewhere), and takes no more than the limit.
 */
export function guardedFetch(options: FetchOptions): Fetch {
  return async (input, init) => {
    const request = { ...(await admitted(input, init, options)), limit: options.limit }
    const answer = await options.connections.exchange(request, options.allowLocal).catch(retriable)
    const { 'content-encoding': _encoding, 'content-length': _length, ...headers } = answer.headers
    const body = bodiless.has(answer.status) ? null : new Uint8Array(answer.body)
    return new Response(body, { status: answer.status, statusText: answer.statusText, headers })
  }
}

/** A guarded `fetch` for answers that are read as they arrive, such as a stream of events. */
export function streamingFetch(options: FetchOptions): Fetch {
  return async (input, init) => {
    const request = await admitted(input, init, options)
    const { body, headers, ...head } = await options.connections.open(request, options.allowLocal).catch(retriable)
    if (!bodiless.has(head.status)) return new Response(bounded(body, options.limit), { ...head, headers })
    body.resume()
    return new Response(null, { ...head, headers })
  }
}

function bounded(body: Readable, limit: number): ReadableStream {
  let bytes = 0
  const meter = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length
      if (bytes > limit) done(new HookFailure('output-limit', `The answer is larger than ${limit} bytes.`))
      else done(null, chunk)
    },
  })
  pipeline(body, meter, () => {})
  return Readable.toWeb(meter) as ReadableStream
}

/** The request as it may be sent. */
async function admitted(
  input: Parameters<Fetch>[0],
  init: Parameters<Fetch>[1] = {},
  { allowLocal, remedy }: FetchOptions,
): Promise<Omit<Outgoing, 'limit'>> {
  const url = new URL(input instanceof Request ? input.url : input)
  const signal = init.signal ?? new AbortController().signal
  const advice = remedy === undefined ? {} : { remedy }
  const addresses = await admit(url, { resolve: systemResolve, allowLocal, signal, ...advice })
  return { url, addresses, method: init.method ?? 'GET', ...contentOf(init), signal }
}

/** What is sent, and how it is described: texts and forms, as libraries send them. Anything else would be lost. */
function contentOf({ headers, body }: NonNullable<Parameters<Fetch>[1]>): Pick<Outgoing, 'headers' | 'body'> {
  const described = new Headers(headers)
  if (body instanceof URLSearchParams && !described.has('content-type'))
    described.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8')
  if (body && typeof body !== 'string' && !(body instanceof URLSearchParams))
    throw new TypeError('Only texts and forms can be sent.')
  return { headers: Object.fromEntries(described), ...(body ? { body: String(body) } : {}) }
}

const bodiless = new Set([204, 205, 304])

/** What the library that calls us takes for a lost connection, and tries again. */
function retriable(error: unknown): never {
  if (error instanceof NothingReceived) throw new TypeError('fetch failed', { cause: error })
  throw error
}
