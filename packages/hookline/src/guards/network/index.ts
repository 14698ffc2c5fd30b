/**
 * Is this URL, or this address, on the public internet? Pure: nothing is resolved and nothing is connected to.
 *
 * A caller that connects must (1) check the URL, (2) resolve the name once and check it again with every answer, (3) connect only
 * to those answers, and (4) do the same for each redirect hop, with the `Location` resolved against the URL before it. Use
 * the `URL` object that was parsed; a second parser may read the same text as another host.
 */
import { type Address, metadataAt, parseAddress, refusalOf } from './addresses.ts'
import { isBlockedPort, metadataName, nameRefusal } from './names.ts'

export interface NetworkVerdict {
  verdict: 'public' | 'refused'
  /** One sentence for a person. */
  why: string
}

export interface NetworkOptions {
  /** Let loopback and private networks through. Metadata endpoints, link-local and reserved addresses stay refused. */
  allowLocal?: boolean
}

/**
 * `addresses` is what DNS answered for the host: every one must be public, and an empty list is refused. Without it, a name is judged
 * by its text alone.
 */
export function checkUrl(url: string, addresses?: readonly string[], options: NetworkOptions = {}): NetworkVerdict {
  const parsed = parseUrl(url)
  if (!parsed) return refused('This is not a URL that can be parsed.')
  const shape = shapeRefusal(parsed)
  if (shape) return refused(shape)

  const host = checkHost(parsed.hostname, options)
  if (host.verdict === 'refused') return host
  if (READ_TWO_WAYS.test(url.trim())) return refused('Programs do not agree which host this URL names.')
  if (!addresses) return host
  if (addresses.length === 0) return refused(`${parsed.hostname} has no address.`)
  for (const address of addresses) {
    const answer = checkAddress(address, options)
    if (answer.verdict === 'refused') return refused(`${parsed.hostname} leads to a refused address: ${answer.why}`)
  }
  return host
}

/**
 * May a request that carries data follow this redirect? `visited` holds every URL requested so far, the latest last. A hop must stay on
 * its origin (307 and 308 would replay the payload elsewhere), must not loop, and is checked as any other URL. A reader that sends
 * nothing may leave the origin: it calls `checkUrl` per hop instead.
 */
export function checkRedirect(
  visited: readonly string[],
  location: string,
  addresses?: readonly string[],
  options: NetworkOptions = {},
): NetworkVerdict {
  const from = parseUrl(visited.at(-1) ?? '')
  const to = from && parseUrl(location, from)
  if (!to) return refused('The redirect leads to nothing that can be parsed.')
  if (visited.length > MOST_REDIRECTS) return refused(`More than ${MOST_REDIRECTS} redirects.`)
  if (visited.some((url) => parseUrl(url)?.href === to.href)) return refused('The redirect leads in a circle.')
  if (to.origin !== from.origin) return refused(`The redirect leaves ${from.origin} for another origin.`)
  return checkUrl(to.href, addresses, options)
}

const MOST_REDIRECTS = 3

/** A backslash where the host may still go on, or a line break or tab anywhere in front: curl and browsers read another host there. */
const READ_TWO_WAYS = /^[^/?#]*\/\/[^/?#]*[\\\t\r\n]|^[^/?#]*[\\\t\r\n]/

/** An IP address in its plain form, brackets allowed. What cannot be read is refused. */
export function checkAddress(address: string, options: NetworkOptions = {}): NetworkVerdict {
  const parsed = parseAddress(address)
  if (!parsed) return refused(`${quote(address)} is not a plain IP address.`)
  return judge(parsed, options)
}

/** Whether a cloud answers there with the machine's own credentials, in whatever IPv6 form the address is wrapped. */
export function isMetadataAddress(address: string): boolean {
  const parsed = parseAddress(address)
  return parsed !== undefined && metadataAt(parsed) !== undefined
}

/** The same for an address as programs take it, with or without `http://`, in whatever notation the numbers are. */
export function isMetadataUrl(text: string): boolean {
  const parsed = parseUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  const host = parsed?.hostname.replace(/^\[|\]$|\.$/g, '') ?? ''
  return isMetadataAddress(host) || metadataName(host) !== undefined
}

function checkHost(hostname: string, options: NetworkOptions): NetworkVerdict {
  const literal = parseAddress(hostname)
  if (literal) return judge(literal, options)
  const name = hostname.replace(/\.$/, '')
  const metadata = metadataName(name)
  if (metadata) return refused(`${name} is ${metadata}.`)
  const refusal = nameRefusal(name)
  if (!refusal) return allowed(`${name} is a public name.`)
  if (refusal.local && options.allowLocal) return allowed(`${name} is ${refusal.what}, which is allowed here.`)
  return refused(`${name} is ${refusal.what}.`)
}

function judge(address: Address, options: NetworkOptions): NetworkVerdict {
  const refusal = refusalOf(address)
  if (!refusal) return allowed(`${address} is a public address.`)
  if (refusal.local && options.allowLocal) return allowed(`${address} is ${refusal.what}, which is allowed here.`)
  return refused(`${address} is ${refusal.what}, not a public one.`)
}

function shapeRefusal(url: URL): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return `Only http and https are allowed, not ${url.protocol}`
  if (url.username || url.password)
    return 'A URL with a user name or password in it is refused: it can disguise the real host.'
  if (isBlockedPort(url.port)) return `Port ${url.port} belongs to a service that does not speak HTTP.`
  return undefined
}

function parseUrl(url: string, base?: URL): URL | undefined {
  try {
    return new URL(url, base)
  } catch {
    return undefined
  }
}

const allowed = (why: string): NetworkVerdict => ({ verdict: 'public', why })
const refused = (why: string): NetworkVerdict => ({ verdict: 'refused', why })
const quote = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
