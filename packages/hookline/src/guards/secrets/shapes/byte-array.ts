import type { Finder } from '../rule.ts'
import { LOOKBACK, MORE } from '../rule.ts'

/** A Solana key file is the 64 bytes of an ed25519 pair; 32 bytes are a bare seed, and need a word that says so. */
const PAIR = 64
const SEED = 32
const NUMBER = /[\s,]{0,24}(\d{1,3})(?![\d.])/y
const SPACE = /\s{0,24}/y
/** The longest gap and number: how far an answer can depend on what follows. */
const AHEAD = 28
const SAYS_KEY = /(?:secret|private|priv|keypair|seed|wallet)[\w"'`\\ :=.(]{0,32}$/i

/** Private keys printed as an array of bytes. Look-up tables have the shape too, but not the spread. */
export const byteArrayKey: Finder = {
  keywords: ['['],
  multiline: true,
  find({ text }, at, complete) {
    const first = text.charCodeAt(at + 1)
    if (first > 57 || (first > 32 && first < 48)) return undefined
    const bytes: number[] = []
    let end = at + 1
    for (; bytes.length <= PAIR; end = NUMBER.lastIndex) {
      NUMBER.lastIndex = end
      const number = NUMBER.exec(text)
      if (number === null) break
      bytes.push(Number(number[1]))
    }
    if (!complete && bytes.length <= PAIR && end + AHEAD > text.length && /^[\d\s,.]*$/.test(text.slice(end)))
      return MORE
    if (bytes.length === 0) return undefined
    SPACE.lastIndex = end
    SPACE.test(text)
    end = SPACE.lastIndex
    if (text[end] !== ']' || !isSpread(bytes)) return undefined
    const isKey =
      bytes.length === PAIR || (bytes.length === SEED && SAYS_KEY.test(text.slice(Math.max(0, at - 64), at)))
    if (!isKey) return undefined
    const quote = quoteFor(text, at)
    return quote === undefined
      ? { type: 'solana-private-key', start: at, end: end + 1 }
      : { type: 'solana-private-key', start: at + 1, end, quote }
  },
}

const isSpread = (bytes: readonly number[]): boolean =>
  bytes.every((byte) => byte < 256) && Math.max(...bytes) >= 160 && new Set(bytes).size >= bytes.length / 2

/**
 * Where the array is a JSON value the marker must be a JSON string, quoted as its surroundings are: `"`, or `\\"` in JSON within JSON.
 * Inside a longer text it needs no quotes, and must not have any.
 */
function quoteFor(text: string, at: number): string | undefined {
  const before = text.slice(Math.max(0, at - LOOKBACK), at)
  if (!/(?:^|[[,:])\s*$/.test(before)) return undefined
  if (before.length === LOOKBACK) return neighbouringQuote(before)
  // Whether `at` is inside a string, and there inside a string of JSON within it, by the quotes before.
  let outer = false
  let inner = false
  let opened = 0
  for (const quote of before.matchAll(/(\\*)"/g)) {
    const escapes = quote[1]!.length
    if (escapes % 2 === 0) {
      outer = !outer
      inner = false
      opened = quote.index + quote[0].length
    } else if (escapes % 4 === 1) inner = !inner
  }
  if (!outer) return '"'
  return !inner && /^\s*[[{]/.test(before.slice(opened)) ? '\\"' : undefined
}

/** In a longer text the quotes cannot be counted. Its neighbours tell: the name of the array, or a string before it in a list. */
function neighbouringQuote(before: string): string | undefined {
  let start = before.length
  while (start > 0 && /[\d\s,[\]]/.test(before[start - 1]!)) start--
  const neighbour = before.slice(0, start)
  const numbers = before.slice(start)
  if (neighbour === '') return '"'
  const name = /(\\*")\s{0,4}:$/.exec(neighbour)?.[1]
  return name ?? (/^\s*,/.test(numbers) ? /\\*"$/.exec(neighbour)?.[0] : undefined)
}
