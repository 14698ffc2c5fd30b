import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Written } from './answers.ts'
import type { Asking } from './checks.ts'
import { problemOf, refusalFrom } from './problem.ts'

/** An answer, before it is one of Node or of the web. */
export interface Sent {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array<ArrayBuffer> | null
}

/** Its length is in its head: what is sent in one piece needs no frames. */
export function sendOn(outgoing: ServerResponse, { status, headers, body }: Sent): void {
  const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) }
  outgoing.writeHead(status, { ...headers, ...length }).end(body ?? undefined)
}

type Fixed = Readonly<Record<string, string>>

export function writtenOf(result: unknown): Written {
  const body = JSON.stringify(result)
  return { body, etag: `"${createHash('sha1').update(body).digest('base64url')}"` }
}

/** What a reader has already is not sent again. */
export function tagged({ body, etag }: Written, fixed: Fixed, reader: Asking): Sent {
  const headers = { ...fixed, 'content-type': 'application/json', 'cache-control': 'private, no-cache', etag }
  const isKnown = reader.headers.get('if-none-match')?.split(/,\s*/).includes(etag)
  return isKnown ? { status: 304, headers, body: null } : { status: 200, headers, body }
}

export function problemSent(error: unknown, fixed: Fixed, log: (line: string) => void): Sent {
  const refusal = refusalFrom(error, log)
  const { status, headers } = refusal
  const own = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' }
  return { status, headers: { ...own, ...headers, ...fixed }, body: JSON.stringify(problemOf(refusal)) }
}
