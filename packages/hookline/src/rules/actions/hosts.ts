/** Which host an address leads to, in one spelling. */
import { type Field, isKnown, SOME, UNKNOWN } from '../../guards/shell/index.ts'
import { known, type Slot, unknownSlot } from '../types.ts'
import { slotOf } from './slots.ts'

export interface Target {
  host: Slot
  url?: Slot
}

const unknownPiece = new RegExp(`[${UNKNOWN}]`)
const port = new RegExp(`:(?:\\d|[${UNKNOWN}])*$`)
/** Deliberately also without a scheme: curl and its kind take `example.com/x`. */
const address = /^(?:([a-z][a-z0-9+.-]*):)?(\/\/)?([^/?#\\]*)/i

/** `https:host`, `https:///host` and `https:\\host`: browsers and curl see through what stands between. */
const webAddress = /^(https?|wss?):[/\\]*(?=[^/\\])/i
/** `view-source:https://…`: what counts is the address inside. */
const around = /^(?:[a-z][a-z0-9+.-]*:)+(?=[a-z][a-z0-9+.-]*:\/\/)/i

/** `text` is an address as curl takes it. */
export function targetOf(word: Field): Target {
  const text = word.text
    .trim()
    .replace(/[\t\r\n]/g, '')
    .replace(around, '')
    .replace(webAddress, '$1://')
  const url = slotOf(text)
  // Programs do not agree where the host of `https://one\@other` begins.
  if (/^[^/?#]*:\/\/[^/?#]*\\[^/?#]*@/.test(text)) return { host: unknownSlot, url }
  const [, scheme, slashes, authority = ''] = address.exec(text) ?? []
  // `localhost:3000` is a host and a port, and no scheme.
  const rest = scheme !== undefined && !slashes ? `${scheme}:${authority}` : authority
  return { host: hostSlot(rest), url }
}

/** `git@host:path`, `host:path` of scp and rsync: undefined for a path of this machine. */
export function remoteOf(word: Field): Target | undefined {
  const { text } = word
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return /^file:/i.test(text) ? undefined : targetOf(word)
  const [, host] = /^([^/:\s]+|(?:[^/@\s]+@)?\[[^\]]*\]):/.exec(text) ?? []
  if (host === undefined || /^[A-Za-z]$/.test(host)) return undefined
  return { host: hostSlot(host), url: slotOf(text) }
}

/** `user@host:port` in one spelling: lower case, punycode, plain IP addresses, no user, port or last dot. */
export function hostSlot(authority: string): Slot {
  const host = authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(port, '')
    .replace(/\{[^}]*\}|\[[^\]:]*-[^\]:]*\]/g, SOME)
  if (host === '') return isKnown(authority) ? known('') : unknownSlot
  if (unknownPiece.test(host)) return slotOf(host.toLowerCase())
  return known(normaliseHost(host))
}

const plainName = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/
/** `2130706433`, `0x7f.1`: the last part makes it an IPv4 address. */
const numeric = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/

function normaliseHost(host: string): string {
  const folded = host.toLowerCase().replace(/\.$/, '')
  if (plainName.test(folded) && !numeric.test(folded)) return folded
  const bare = /^[0-9a-f:.]+$/.test(folded) && folded.includes('::') ? `[${folded}]` : folded
  try {
    return new URL(`http://${bare}/`).hostname.replace(/\.$/, '').replace(/^\[|\]$/g, '')
  } catch {
    return folded
  }
}
