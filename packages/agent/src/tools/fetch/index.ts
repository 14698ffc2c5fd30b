import { createConnections } from 'hookline/internal'
import ipaddr from 'ipaddr.js'
import * as z from 'zod/mini'
import { clip, expandAll, size, ToolFailure } from '../../core/index.ts'
import { bindTool, defineTool, defineToolset, flag, text, whole } from '../define.ts'
import { get, type Web } from './get.ts'
import { readable } from './html.ts'

const formats = ['text', 'markdown', 'html'] as const
const mostCharacters = 100_000

export interface Fetching extends Web {
  timeoutMs: number
  /** The toolset names the allowed hosts, so that a call needs no approval. */
  restricted: boolean
}

export const fetchTool = defineTool({
  name: 'fetch',
  description: 'Read pages and files from the web (GET). HTML is made readable.',
  input: z.strictObject({
    urls: z.array(text('A URL, in full.')).check(z.minLength(1), z.maxLength(10), z.describe('What to read.')),
    format: z.optional(z.enum(formats).check(z.describe('How HTML is returned; `markdown`, if left out.'))),
    timeout: z.optional(whole('Seconds to wait for each.').check(z.lte(300))),
  }),
  adapt: ({ url, ...rest }) => (url === undefined ? rest : { urls: [url], ...rest }),
  // A request can carry away what the agent has read, so it is no mere looking.
  readOnly: (_, { restricted }: Fetching) => restricted,
  onlyReads: true,
  async run({ urls, format = 'markdown', timeout }, on: Fetching, { signal }) {
    const timeoutMs = timeout === undefined ? on.timeoutMs : timeout * 1_000
    const parts = await Promise.all(urls.map((url) => fetchOne(url, format, on, signal, timeoutMs)))
    signal.throwIfAborted()
    const content = parts.map(({ content }, at) => (urls.length > 1 ? `=== ${urls[at]} ===\n${content}` : content))
    const failed = parts.every(({ error }) => error)
    return { content: content.join('\n\n'), ...(failed ? { error: true } : {}) }
  },
})

const domains = (doc: string) => z.optional(z.array(z.string()).check(z.minLength(1), z.describe(doc)))

export const fetchToolset = defineToolset({
  doc: 'Reads from the web. Private addresses are refused, whatever name or redirect leads to them.',
  options: z.strictObject({
    timeout: z.optional(z.int().check(z.positive(), z.describe('Seconds to wait. Default: 30.'))),
    allowed_domains: domains('The only hosts that may be fetched from.'),
    blocked_domains: domains('Hosts that may not be fetched from.'),
    allow_private_ips: z.optional(flag('This machine and private networks may be fetched from, too.')),
    headers: z.optional(z.record(z.string(), z.string()).check(z.describe('Sent with every request.'))),
  }),
  tools: [fetchTool],
  open({ timeout = 30, allowed_domains, blocked_domains, allow_private_ips, headers }, context) {
    const connections = createConnections()
    const on: Fetching = {
      connections,
      allowLocal: context.allowLocal && allow_private_ips === true,
      headers: expandAll(headers ?? {}, context.env),
      timeoutMs: timeout * 1_000,
      restricted: allowed_domains !== undefined,
      check({ hostname }) {
        const fits = (pattern: string) => matchesDomain(hostname, pattern)
        if (allowed_domains && !allowed_domains.some(fits))
          throw new ToolFailure(`${hostname} may not be fetched from, only ${allowed_domains.join(', ')}.`)
        if (blocked_domains?.some(fits)) throw new ToolFailure(`${hostname} may not be fetched from.`)
      },
    }
    return { tools: [bindTool(fetchTool, 'fetch', on)], close: async () => connections.close() }
  },
})

async function fetchOne(
  url: string,
  format: (typeof formats)[number],
  on: Fetching,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<{ content: string; error: boolean }> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    const answer = await get(url, on, limited)
    const type = answer.headers['content-type'] ?? 'text/plain'
    const failed = answer.status < 200 || answer.status > 299
    const head = failed ? `The answer has the status ${answer.status}.\n` : ''
    return { content: head + (await show(answer.body, type, format)), error: failed }
  } catch (error) {
    const late = limited.aborted && !signal.aborted
    return { content: late ? `No answer in ${timeoutMs / 1_000} seconds.` : (error as Error).message, error: true }
  }
}

async function show(body: Buffer, type: string, format: (typeof formats)[number]): Promise<string> {
  if (!/^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|javascript|yaml|x-ndjson|xhtml))/i.test(type.trim()))
    return `(${type}, ${size(body.length)}: not text.)`
  const content = decode(body, /charset=["']?([\w-]+)/i.exec(type)?.[1])
  const text = format !== 'html' && /html/i.test(type) ? await readable(content, format) : content
  const cut = clip(text, mostCharacters)
  return cut.length < text.length ? `${cut}\n\n(${text.length - cut.length} more characters left out.)` : cut
}

function decode(body: Buffer, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return body.toString('utf8')
  }
}

/**
 * docker-agent's patterns: `example.com` and what is below it, `.example.com` and `*.example.com` only what is below, an address, or
 * a range such as `10.0.0.0/8`.
 */
export function matchesDomain(host: string, pattern: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$|\.$/g, '')
  const wanted = pattern.trim().toLowerCase().replace(/\.$/, '')
  if (wanted.includes('/')) return isInRange(name, wanted)
  const below = wanted.replace(/^\*?\./, '')
  if (below !== wanted) return name.endsWith(`.${below}`)
  return name === wanted || (!ipaddr.isValid(name) && name.endsWith(`.${wanted}`))
}

function isInRange(host: string, range: string): boolean {
  if (!ipaddr.isValid(host)) return false
  try {
    const address = ipaddr.process(host)
    const [base, bits] = ipaddr.parseCIDR(range)
    return address.kind() === base.kind() && address.match([base, bits] as never)
  } catch {
    return false
  }
}
