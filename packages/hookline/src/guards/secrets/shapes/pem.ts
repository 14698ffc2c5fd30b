import type { Finder, Finding } from '../rule.ts'
import { MORE } from '../rule.ts'

const HEADER = /-{4,5} ?BEGIN (?<label>(?:[A-Z0-9]{1,16} ){0,4})PRIVATE KEY(?: BLOCK)? ?-{4,5}/y
const LONGEST_HEADER = 112
const FOOTER = /-{4,5} ?END [A-Z0-9 ]{0,80}KEY(?: BLOCK)? ?-{4,5}/y
const PUTTY = /PuTTY-User-Key-File-[1-9]:/y
const PUTTY_LINES = /Private-Lines: ?\d{1,4}/

/** A key this short is a mention of one. */
const SHORTEST_BODY = 40
/** No private key is longer; it bounds what a stream keeps. */
const LONGEST_BLOCK = 262_144
const PUTTY_PREAMBLE = 8_192

/** PEM, OpenSSH, PGP and SSH2 private keys: the whole block, with real or escaped line ends, finished or cut off. */
export const pemPrivateKey: Finder = {
  keywords: ['-----BEGIN ', '---- BEGIN '],
  multiline: true,
  find({ text }, at, complete) {
    HEADER.lastIndex = at
    const header = HEADER.exec(text)
    if (header === null) return complete || text.length - at >= LONGEST_HEADER || hasBreak(text, at) ? undefined : MORE
    return block(typeOf(header.groups?.['label'] ?? ''), text, at, at + header[0].length, complete)
  },
}

/** PuTTY's own format keeps the public half first; the block is replaced as a whole. */
export const puttyPrivateKey: Finder = {
  keywords: ['PuTTY-User-Key-File-'],
  multiline: true,
  find({ text }, at, complete) {
    PUTTY.lastIndex = at
    const header = PUTTY.exec(text)
    const preamble = text.slice(at, at + PUTTY_PREAMBLE)
    const lines = header && PUTTY_LINES.exec(preamble)
    if (lines) return block('putty-private-key', text, at, at + lines.index + lines[0].length, complete)
    return complete || preamble.length === PUTTY_PREAMBLE ? undefined : MORE
  },
}

function typeOf(label: string): string {
  if (label.startsWith('OPENSSH') || label.startsWith('SSH2')) return 'ssh-private-key'
  return label.startsWith('PGP') ? 'pgp-private-key' : 'private-key'
}

const hasBreak = (text: string, from: number): boolean => text.indexOf('\n', from) !== -1

/** Between the pieces of a key: white space, its escapes, and the quotes, commas and signs of a key written as strings of code. */
const GAP = /(?:\s|\\{1,4}[nrt]|\\{0,4}["'`]|[,+>|#*])*/y
const PIECE = /[A-Za-z0-9+/=_]+/y
/** `Proc-Type: 4,ENCRYPTED`, `DEK-Info: …`, `Version: …`, `Private-MAC: …`: to the end of the line, real or escaped. */
const FIELD = /[A-Za-z-]{3,24}: [^\n\\"]{0,200}/y
/** A run this long inside a key block is key material; prose has no such words. */
const LONG_PIECE = 16

function block(
  type: string,
  text: string,
  start: number,
  from: number,
  complete: boolean,
): Finding | undefined | typeof MORE {
  const limit = Math.min(text.length, start + LONGEST_BLOCK)
  const open = !complete && limit === text.length
  let at = from
  let body = 0
  let end = from
  while (at < limit) {
    at = skip(GAP, text, at)
    const footer = skip(FOOTER, text, at)
    if (footer > at) return body >= SHORTEST_BODY ? { type, start, end: footer } : undefined
    const field = skip(FIELD, text, at)
    if (field > at) {
      at = field
      if (body > 0) end = at
      continue
    }
    const piece = Math.min(skip(PIECE, text, at), limit)
    const length = piece - at
    if (open && skip(GAP, text, piece) >= limit - LONGEST_HEADER) return MORE
    if (length <= 0) break
    if (length < LONG_PIECE && !closes(text, at, piece)) break
    body += length
    end = piece
    at = piece
  }
  if (open && at >= limit - LONGEST_HEADER) return MORE
  return body >= SHORTEST_BODY ? { type, start, end } : undefined
}

/** The last, shorter line of a key: padded, or followed by a checksum line or the footer. */
function closes(text: string, at: number, piece: number): boolean {
  if (text[piece - 1] === '=' || text[at] === '=') return true
  const after = skip(GAP, text, piece)
  return text[after] === '=' || skip(FOOTER, text, after) > after || /Private-MAC/y.test(text.slice(after, after + 11))
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
