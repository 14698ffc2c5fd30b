/** IP addresses: reading them, unwrapping IPv4 carried inside IPv6, and the reasons for refusing one. */
import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** `local` refusals are lifted by `allowLocal`; the others never are. */
export interface Refusal {
  what: string
  local: boolean
}

/** Strict on purpose: `010.0.0.1` is 8.0.0.1 to some readers and 10.0.0.1 to others, so it is no address at all. */
export function parseAddress(text: string): Address | undefined {
  // The parser throws and catches its way through what is no address, and most texts are none.
  if (!/^[\d.]+$|:/.test(text)) return undefined
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  const inner = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  if (!/^[0-9a-f:.]+$/i.test(inner) || !inner.includes(':')) return undefined
  try {
    return ipaddr.IPv6.parse(new URL(`http://[${inner}]/`).hostname.slice(1, -1))
  } catch {
    return undefined
  }
}

/** Why this address is not public; undefined for a public one. */
export function refusalOf(address: Address): Refusal | undefined {
  const metadata = metadataAt(address)
  if (metadata) return { what: metadata, local: false }
  const carried = carriedIn(address)
  if (carried?.carrier.routed) return refusalOf(carried.inner)
  if (carried?.carrier.what) return { what: carried.carrier.what, local: false }
  const range = address.range()
  if (range !== 'unicast') return RANGES[range] ?? RESERVED
  if (address.kind() === 'ipv6' && !inBlock(address, GLOBAL_UNICAST)) return RESERVED
  return carried && refusalOf(carried.inner)
}

/** What answers at a cloud metadata address; undefined anywhere else. */
export function metadataAt(address: Address): string | undefined {
  const carried = carriedIn(address)
  const row = METADATA.find(({ block }) => inBlock(address, block))
  return row?.what ?? (carried && metadataAt(carried.inner))
}

/** One way of writing an IPv4 address inside an IPv6 one. */
interface Carrier {
  /** Why the carrier itself is refused, whatever it holds; absent when only its content counts. */
  what?: string
  /** The system connects to the IPv4 address inside, so that one alone is judged. */
  routed?: true
  holds(address: ipaddr.IPv6): boolean
  inner(parts: number[]): number[]
}

const low = (parts: number[]) => parts.slice(6)

/** The first row that holds wins: the narrow blocks come before the wide ones. */
const CARRIERS: readonly Carrier[] = [
  { routed: true, holds: within('::ffff:0:0/96'), inner: low }, // IPv4-mapped, RFC 4291
  { routed: true, holds: within('64:ff9b::/96'), inner: low }, // NAT64, RFC 6052: on an IPv6-only network all of IPv4 looks so
  { what: 'a network-local NAT64 address', holds: within('64:ff9b:1::/48'), inner: low }, // RFC 8215
  { what: 'an IPv4-translated address', holds: within('::ffff:0:0:0/96'), inner: low }, // RFC 7915
  { what: 'a 6to4 address', holds: within('2002::/16'), inner: (parts) => parts.slice(1, 3) }, // deprecated, RFC 7526
  { what: 'a Teredo address', holds: within('2001::/32'), inner: (parts) => low(parts).map((part) => part ^ 0xffff) },
  { what: 'an IPv4-compatible address', holds: isCompatible, inner: low },
  { holds: isIsatap, inner: low },
]

function carriedIn(address: Address): { carrier: Carrier; inner: ipaddr.IPv4 } | undefined {
  if (!(address instanceof ipaddr.IPv6)) return undefined
  const carrier = CARRIERS.find((row) => row.holds(address))
  if (!carrier) return undefined
  const [high = 0, lower = 0] = carrier.inner(address.parts)
  return { carrier, inner: new ipaddr.IPv4([high >> 8, high & 255, lower >> 8, lower & 255]) }
}

/** Deprecated by RFC 4291. `::` and `::1` lie in the same block and are themselves. */
function isCompatible(address: ipaddr.IPv6): boolean {
  return address.parts.slice(0, 6).every((part) => part === 0) && address.range() === 'unicast'
}

/** RFC 5214: an interface identifier of [0200:]5efe followed by an IPv4 address, under any prefix. */
function isIsatap(address: ipaddr.IPv6): boolean {
  return address.parts[5] === 0x5efe && (address.parts[4] === 0 || address.parts[4] === 0x0200)
}

const RESERVED: Refusal = { what: 'a reserved address', local: false }

/** ipaddr.js names its ranges; a range it adds later is refused as reserved. */
const RANGES: Record<string, Refusal> = {
  loopback: { what: 'a loopback address', local: true },
  private: { what: 'a private network address', local: true },
  uniqueLocal: { what: 'a private network address', local: true },
  carrierGradeNat: { what: "a carrier's internal address", local: true },
  linkLocal: { what: 'a link-local address', local: false },
  deprecatedSiteLocal: { what: 'a site-local address', local: false },
  unspecified: { what: 'the unspecified address, which reaches this machine', local: false },
  broadcast: { what: 'the broadcast address', local: false },
  multicast: { what: 'a multicast address', local: false },
}

/** IANA has handed out global unicast addresses from this block only. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')

/** Where clouds hand out a machine's credentials. Link-local IPv4 is listed whole: every provider picks its own address in it. */
const METADATA = [
  { block: '169.254.0.0/16', what: 'a link-local address, where clouds serve credentials' },
  { block: '168.63.129.16/32', what: 'the Azure host endpoint' }, // looks public; answers only inside Azure
  { block: '100.100.100.200/32', what: 'the Alibaba Cloud metadata endpoint' },
  { block: '192.0.0.192/32', what: 'the Oracle Cloud metadata endpoint' },
  { block: 'fd00:ec2::/32', what: 'an AWS metadata endpoint' },
  { block: 'fd20:ce::/32', what: 'the Google Cloud metadata endpoint' },
  { block: 'fd00:42::42/128', what: 'the Scaleway metadata endpoint' },
  { block: 'fd00:c1::a9fe:a9fe/128', what: 'the Oracle Cloud metadata endpoint' },
  { block: 'fe80::a9fe:a9fe/128', what: 'the OpenStack metadata endpoint' },
].map(({ block, what }) => ({ block: ipaddr.parseCIDR(block), what }))

function within(cidr: string): (address: Address) => boolean {
  const block = ipaddr.parseCIDR(cidr)
  return (address) => inBlock(address, block)
}

function inBlock(address: Address, [base, bits]: [Address, number]): boolean {
  return address.kind() === base.kind() && address.match(base, bits)
}
