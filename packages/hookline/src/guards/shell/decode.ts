/** Text that follows from other text: encodings, escapes, and printf. */
import { clip, SOME } from './text.ts'

/** undefined: not text, or not decodable. */
export function decodeBase64(text: string): string | undefined {
  const compact = text.replace(/[\s=]/g, '').replaceAll('-', '+').replaceAll('_', '/')
  if (!/^[A-Za-z0-9+/]*$/.test(compact)) return undefined
  return fromBits(compact, ALPHABET64, 6)
}

export function decodeBase32(text: string): string | undefined {
  return fromBits(text.replace(/[\s=]/g, '').toUpperCase(), ALPHABET32, 5)
}

export function decodeHex(text: string): string | undefined {
  const compact = text.replace(/^\s*[0-9a-f]+:/gim, '').replace(/\s/g, '')
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(compact)) return undefined
  return toText((compact.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)))
}

const ALPHABET64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const ALPHABET32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function fromBits(text: string, alphabet: string, width: number): string | undefined {
  const bytes: number[] = []
  let bits = 0
  let held = 0
  for (const char of text) {
    const value = alphabet.indexOf(char)
    if (value < 0) return undefined
    held = ((held << width) | value) & 0xffff
    bits += width
    if (bits >= 8) {
      bits -= 8
      bytes.push((held >> bits) & 0xff)
    }
  }
  return toText(bytes)
}

/** PowerShell encodes UTF-16: every other byte of plain text is then zero. */
function toText(bytes: readonly number[]): string | undefined {
  const wide = bytes.length > 1 && bytes.every((byte, index) => index % 2 === 0 || byte === 0)
  const kept = wide ? bytes.filter((_, index) => index % 2 === 0) : bytes
  return new TextDecoder().decode(Uint8Array.from(kept))
}

const SIMPLE: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\x1b',
  '\\': '\\',
}

/** As `echo -e` and printf do it. */
export function decodeEscapes(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|([\s\S]))/g,
    (whole, hex, short, long, octal, simple) => {
      const code = hex ?? short ?? long
      if (code !== undefined) return fromCode(Number.parseInt(code, 16))
      if (octal !== undefined) return fromCode(Number.parseInt(octal, 8) & 0xff)
      return SIMPLE[simple] ?? whole
    },
  )
}

const fromCode = (code: number) => (code <= 0x10ffff ? String.fromCodePoint(code) : SOME)

/** The format is used again as long as there are values; `pay` hears of the characters before each round. */
export function formatPrintf(format: string, values: readonly string[], pay: (length: number) => void): string {
  pay(format.length)
  // An escape that stands for a percent sign prints one: it begins no directive.
  const pieces = format
    .split(/(%(?:%|[-+ #0]{0,9}(?:\*|\d{1,9})?(?:\.(?:\*|\d{1,9}))?[a-zA-Z]))/)
    .map((piece, at) => (at % 2 === 0 ? decodeEscapes(piece) : piece))
  let next = 0
  let text = ''
  do {
    const before = next
    pay(format.length + 32)
    for (const [at, piece] of pieces.entries()) {
      if (at % 2 === 0) text += piece
      else if (piece === '%%') text += '%'
      else {
        const value = values[next++] ?? ''
        pay(value.length)
        text += convert(piece.slice(-1), value)
      }
    }
    if (next === before) break
  } while (next < values.length)
  return clip(text)
}

function convert(kind: string, value: string): string {
  const number = value.startsWith("'") ? (value.codePointAt(1) ?? 0) : Number(value || 0)
  switch (kind) {
    case 's':
      return value
    case 'b':
      return decodeEscapes(value)
    case 'c':
      return value.slice(0, 1)
    case 'd':
    case 'i':
    case 'u':
      return Number.isNaN(number) ? SOME : String(Math.trunc(number))
    case 'x':
      return Number.isNaN(number) ? SOME : Math.trunc(number).toString(16)
    case 'o':
      return Number.isNaN(number) ? SOME : Math.trunc(number).toString(8)
    default:
      return SOME
  }
}
