import { admit, systemResolve } from './admit.ts'
import { type Connections, NothingReceived } from './exchange.ts'

export interface FetchOptions {
  connections: Connections
  allowLocal: boolean
  /** Bytes of an answer. */
  limit: number
}

/**
 * The `fetch` that providers' packages are given: it goes only where it may, to the very addresses that were checked,
 * follows no redirects (they would carry the key and the payload elsewhere), and takes no more than the limit.
 */
export function guardedFetch({ connections, allowLocal, limit }: FetchOptions): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const signal = init.signal ?? new AbortController().signal
    const addresses = await admit(url, { resolve: systemResolve, allowLocal, signal })
    const request = {
      url,
      addresses,
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === 'string' ? { body: init.body } : {}),
      limit,
      signal,
    }
    const answer = await connections.exchange(request, allowLocal).catch(retriable)
    const { 'content-encoding': _encoding, 'content-length': _length, ...headers } = answer.headers
    const body = bodiless.has(answer.status) ? null : new Uint8Array(answer.body)
    return new Response(body, { status: answer.status, statusText: answer.statusText, headers })
  }
}

const bodiless = new Set([204, 205, 304])

/** What the library that calls us takes for a lost connection, and tries again. */
function retriable(error: unknown): never {
  if (error instanceof NothingReceived) throw new TypeError('fetch failed', { cause: error })
  throw error
}
