import { sha256 } from '../checks/encodings.ts'
import type { Finding } from '../rule.ts'
import { LIST } from './wordlist.ts'

const SIZES = [24, 21, 18, 15, 12]
const SHORTEST = 12
/** A longer run of listed words is a word list, not a phrase. */
const LONGEST_RUN = 48
/** Shorter than any phrase of twelve words, so that one look in every stride meets each of them. */
const STRIDE = 32
const LONGEST_GAP = 24
/** Between the words of a phrase: white space, punctuation of lists and of JSON arrays, the numbers of a numbered list. */
const GAP = new Uint8Array(128)
for (const character of ' \t\r\n,;."\'`|/\\-_()#*0123456789') GAP[character.charCodeAt(0)] = 1

interface Word {
  readonly start: number
  readonly end: number
  /** In small letters. */
  readonly text: string
}

/** Nothing shorter is a phrase: twelve words of three letters, and a gap between each two. */
const SHORTEST_TEXT = SHORTEST * 3 + SHORTEST - 1

/** Listed words, and their values by their first four letters, which no two of them share. */
interface Index {
  readonly words: readonly string[]
  readonly values: ReadonlyMap<number, number>
}

let index: Index | undefined
/** Most words of a text are not listed: this says so without a look-up. */
const maybeListed = new Uint8Array(65_536)
/** How many words are looked for in the list itself, before the index is worth making. */
let looks = 256

function listed(text: string, start: number, end: number): string | undefined {
  if (looks > 0) {
    looks--
    const word = text.slice(start, end).toLowerCase()
    return LIST.includes(` ${word} `) ? word : undefined
  }
  index ??= indexWords()
  const key = keyOf(text, start, end)
  if (maybeListed[key & 65_535] === 0) return undefined
  const value = index.values.get(key)
  const word = text.slice(start, end).toLowerCase()
  return value !== undefined && index.words[value] === word ? word : undefined
}

function valueOfWord(word: string): number {
  index ??= indexWords()
  return index.values.get(keyOf(word, 0, word.length))!
}

function indexWords(): Index {
  const words = LIST.trim().split(' ')
  const values = new Map(words.map((word, value) => [keyOf(word, 0, word.length), value]))
  for (const key of values.keys()) maybeListed[key & 65_535] = 1
  return { words, values }
}

function keyOf(text: string, start: number, end: number): number {
  let key = 0
  for (let i = start; i < start + 4; i++) key = (key << 5) | (i < end ? text.charCodeAt(i) & 31 : 0)
  return key
}

/**
 * BIP-39 phrases at or after `from`. Words alone prove nothing (any sentence of short words has the shape): every word must be listed
 * and the checksum must hold. `open` is where a run begins that more text could still lengthen.
 */
export function findSeedPhrases(text: string, from: number, complete: boolean): { found: Finding[]; open: number } {
  const found: Finding[] = []
  let open = text.length
  if (complete && text.length - from < SHORTEST_TEXT) return { found, open }
  for (let at = from; at < text.length; at += STRIDE) {
    const word = wordFrom(text, at)
    if (word === undefined) continue
    const run = runAround(text, word)
    const last = run.at(-1)!
    if (!complete && last.end + LONGEST_GAP + 9 > text.length) {
      if (run.length <= LONGEST_RUN) open = Math.min(open, run[0]!.start)
    } else if (run.length >= SHORTEST && run.length <= LONGEST_RUN) {
      found.push(...phrasesIn(run).filter((phrase) => phrase.start >= from))
    }
    at = Math.max(at, last.end - STRIDE)
  }
  return { found, open }
}

/** Every part of the run that is a phrase: the words around one may be listed too (`my private key: legal winner …`). */
function phrasesIn(run: readonly Word[]): Finding[] {
  return run.flatMap((_, first) =>
    SIZES.map((size) => run.slice(first, first + size))
      .filter((words, i) => isPhrase(words, SIZES[i]!))
      .map(spanOf),
  )
}

const spanOf = (words: readonly Word[]): Finding => ({
  type: 'seed-phrase',
  start: words[0]!.start,
  end: words.at(-1)!.end,
})

/** BIP-39: 11 bits a word; the last bits are the first bits of the SHA-256 of the others. */
function isPhrase(words: readonly Word[], size: number): boolean {
  if (words.length !== size) return false
  const values = words.map(({ text }) => valueOfWord(text))
  if (values.every((value, i) => i === 0 || value > values[i - 1]!)) return false
  const entropyBytes = (size * 4) / 3
  const bytes = new Uint8Array(entropyBytes + 1)
  values.forEach((value, i) => {
    for (let bit = 0; bit < 11; bit++) {
      const position = i * 11 + bit
      if ((value >> (10 - bit)) & 1) bytes[position >> 3]! |= 128 >> (position & 7)
    }
  })
  const checksumBits = size / 3
  const checksum = sha256(bytes.subarray(0, entropyBytes))?.[0]
  return checksum === undefined || checksum >> (8 - checksumBits) === bytes[entropyBytes]! >> (8 - checksumBits)
}

function runAround(text: string, word: Word): Word[] {
  const run = [word]
  for (let next = wordAfter(text, word.end); next && run.length <= LONGEST_RUN; next = wordAfter(text, next.end))
    run.push(next)
  for (
    let before = wordBefore(text, word.start);
    before && run.length <= LONGEST_RUN;
    before = wordBefore(text, before.start)
  )
    run.unshift(before)
  return run
}

/** The listed word at `at`, or the next one if `at` is in a gap. */
function wordFrom(text: string, at: number): Word | undefined {
  if (!isLetter(text.charCodeAt(at))) return wordAfter(text, at)
  let start = at
  while (isLetter(text.charCodeAt(start - 1)) && at - start < 9) start--
  return wordAt(text, start)
}

function wordAfter(text: string, from: number): Word | undefined {
  let at = from
  while (at - from < LONGEST_GAP && isGap(text, at)) at++
  return at === from && !isLetter(text.charCodeAt(at)) ? undefined : wordAt(text, at)
}

function wordBefore(text: string, end: number): Word | undefined {
  let at = text[end - 2] === '\\' && 'nrt'.includes(text[end - 1]!) ? end - 2 : end
  while (end - at < LONGEST_GAP && at > 0 && isGap(text, at - 1)) at--
  if (at === end) return undefined
  let start = at
  while (isLetter(text.charCodeAt(start - 1)) && at - start < 9) start--
  return wordAt(text, start)
}

function wordAt(text: string, at: number): Word | undefined {
  // The letter of an escaped line end (`\n`) belongs to the gap.
  const start = text[at - 1] === '\\' && 'nrt'.includes(text[at]!) ? at + 1 : at
  let end = start
  while (isLetter(text.charCodeAt(end)) && end - start < 9) end++
  if (end - start < 3 || end - start > 8) return undefined
  const word = listed(text, start, end)
  return word === undefined ? undefined : { start, end, text: word }
}

/**
 * A colon only follows the number of a numbered list: elsewhere it separates a name from what it names. A dash stands alone: rows of
 * them rule off a block.
 */
const isGap = (text: string, at: number): boolean =>
  (GAP[text.charCodeAt(at)] === 1 && (text[at] !== '-' || (text[at - 1] !== '-' && text[at + 1] !== '-'))) ||
  (text[at] === ':' && /[0-9]/.test(text[at - 1] ?? ''))

const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
