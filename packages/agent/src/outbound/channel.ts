import { admit, type Connections, HookFailure, systemResolve } from 'hookline/internal'
import type * as z from 'zod/mini'

/** One kind of way out. A channel is one of these with its options, under a name of its own. */
export interface ChannelKind<O extends z.ZodMiniObject = z.ZodMiniObject> {
  doc: string
  options: O
  /** How messages are sent; throws with words that hold no secret when it cannot work. */
  open(options: z.output<O>, context: ChannelContext): Send
}

export type Send = (text: string, signal: AbortSignal) => Promise<void>

export interface ChannelContext {
  /** The channel's name. */
  name: string
  env: Readonly<Record<string, string | undefined>>
  connections: Connections
  /** Whether channels may be allowed to reach this machine and private networks at all. */
  allowLocal: boolean
  /** Where the console is. */
  write(line: string): void
}

export const defineChannel = <O extends z.ZodMiniObject>(kind: ChannelKind<O>): ChannelKind<O> => kind

const mostMs = 15_000
const mostBytes = 64 * 1024

export interface Post {
  url: string
  headers: Readonly<Record<string, string>>
  body: unknown
  allowLocal: boolean
  /** What must never be read in an error. */
  secrets: readonly string[]
}

/**
 * POSTs JSON to a checked address and wants a 2xx; redirects are not followed, since they would carry the message
 * elsewhere. A URL may hold a token, so errors name the channel and the host, and nothing more of it.
 */
export async function post(post: Post, { name, connections }: ChannelContext, signal: AbortSignal): Promise<void> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(mostMs)])
  try {
    const url = new URL(post.url)
    const body = JSON.stringify(post.body)
    const addresses = await admit(url, { resolve: systemResolve, allowLocal: post.allowLocal, signal: limited })
    const headers = { 'user-agent': 'hookline', ...post.headers, 'content-type': 'application/json' }
    const length = { 'content-length': Buffer.byteLength(body) }
    const request = { url, addresses, method: 'POST', headers: { ...headers, ...length }, body, limit: mostBytes }
    const answer = await connections.exchange({ ...request, signal: limited }, post.allowLocal)
    if (answer.status < 200 || answer.status > 299) {
      const body = answer.body.toString('utf8', 0, 300).trim()
      throw new Error(`the answer has the status ${answer.status}${body === '' ? '' : `: ${body}`}`)
    }
  } catch (error) {
    signal.throwIfAborted()
    const why = limited.aborted ? `no answer in ${mostMs / 1_000} seconds` : reasonOf(error)
    throw new Error(hide(`The message was not sent to ${name}: ${why}`, post.secrets))
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof TypeError) return 'its URL cannot be read'
  if (error instanceof HookFailure && error.kind === 'ssrf')
    return `${error.message} Set \`allow_private_ips: true\` on the channel if it is your own.`
  return error instanceof Error ? error.message : String(error)
}

function hide(text: string, secrets: readonly string[]): string {
  return secrets.filter((secret) => secret !== '').reduce((left, secret) => left.replaceAll(secret, '[hidden]'), text)
}
