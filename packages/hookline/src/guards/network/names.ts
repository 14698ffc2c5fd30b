/** Host names that do not lead to the public internet, judged by their text. A name arrives as WHATWG `URL` leaves it: lower case, IDNA applied. */
import { parseAddress, type Refusal, refusalOf } from './addresses.ts'

/** A name under which a cloud serves credentials. It stays refused when local names are allowed. */
export function metadataName(name: string): string | undefined {
  return under(name, METADATA_NAMES) ? 'the name of a cloud metadata endpoint' : undefined
}

export function nameRefusal(name: string): Refusal | undefined {
  const labels = name.split('.')
  if (labels.includes('')) return { what: 'not a well-formed host name', local: false }
  if (labels.length === 1)
    return { what: 'a name without a domain, which only a local network can answer', local: true }
  const suffix = under(name, PRIVATE_SUFFIXES)
  if (suffix) return { what: `a name in the private domain .${suffix}`, local: true }
  if (under(name, LOOPBACK_DOMAINS)) return { what: 'a public name that answers with a loopback address', local: true }
  if (under(name, REBINDING_DOMAINS)) return { what: 'a name made for DNS rebinding', local: false }
  if (!/^(?:[a-z]{2,}|xn--[a-z0-9-]+)$/.test(labels.at(-1)!))
    return { what: 'not a name in any public domain', local: false }
  const spelled = under(name, WILDCARD_DOMAINS) && addressSpelledIn(name)
  return spelled ? refusalOf(spelled) : undefined
}

/** Metadata names by provider: Google, AWS, Rancher, Azure, Tencent, Equinix (formerly Packet), IBM. */
const METADATA_NAMES = [
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
  'rancher-metadata',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'api.metadata.cloud.ibm.com',
]

/**
 * Special-use names (RFC 6761, 6762, 7686, 8375, 9476, ICANN's .internal) and the de-facto private ones. `.example` is not among
 * them: resolvers give it no meaning, so it reaches nothing.
 */
const PRIVATE_SUFFIXES = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'home.arpa',
  'resolver.arpa',
  'lan',
  'test',
  'invalid',
  'onion',
  'alt',
  'svc', // Kubernetes services, and below: the short form of its API
  'kubernetes.default',
  'consul',
  'docker',
]

const LOOPBACK_DOMAINS = ['localtest.me', 'lvh.me', 'vcap.me', 'fuf.me', 'lacolhost.com', 'localh.st', 'local.gd']

const REBINDING_DOMAINS = ['rbndr.us', '1u.ms']

/** These answer with the address spelled in the name: `10.0.0.1.nip.io`, `app-10-0-0-1.sslip.io`. */
const WILDCARD_DOMAINS = ['nip.io', 'sslip.io', 'xip.io', 'traefik.me', 'backname.io']

function addressSpelledIn(name: string) {
  const found = /(?:^|[.-])(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})(?=[.-])/.exec(name)
  return found ? parseAddress(found.slice(1).join('.')) : undefined
}

function under(name: string, suffixes: readonly string[]): string | undefined {
  return suffixes.find((suffix) => name === suffix || name.endsWith(`.${suffix}`))
}

/** Ports of services that a request can reach by accident: the "bad ports" of the WHATWG Fetch standard. */
export function isBlockedPort(port: string): boolean {
  return BLOCKED_PORTS.has(Number(port || Number.NaN))
}

const BLOCKED_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])
