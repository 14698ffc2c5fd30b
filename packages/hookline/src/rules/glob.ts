import type { Slot } from './types.ts'

/** Whether something matches: not, perhaps (a part is only known when it runs), or surely. `and` is the least, `or` the greatest. */
export type Match = 0 | 1 | 2
export const no = 0
export const maybe = 1
export const yes = 2

export const both = (one: Match, other: Match): Match => (one < other ? one : other)
export const either = (one: Match, other: Match): Match => (one > other ? one : other)

/**
 * A pattern over text, as tokens. `any` stands for any text, `name` for any text without `/`, `one` for one character that is
 * no `/`. Patterns come from files that anybody may have written: no regular expressions, and time that grows with the
 * product of both lengths at most.
 */
type Token =
  | string
  | { any: true }
  | { name: true }
  | { head: true }
  | { one: true }
  | { set: string; negated: boolean }
export interface Glob {
  tokens: readonly Token[]
  /** All of it, where it has no wildcards. */
  literal?: string
  /** What it begins with, before the first wildcard; ends with, behind the last; and the longest text in between. */
  prefix: string
  suffix: string
  needle: string
  fold: boolean
}

const any: Token = { any: true }
const name: Token = { name: true }
const one: Token = { one: true }
/** In front of `name`, in half-known text only: the first character is no dot; or both are empty. */
const head: Token = { head: true }

/** A pattern of a word: `*` stands for anything. */
export function wordGlob(pattern: string, fold = false): Glob {
  return globOf(
    [...folded(pattern, fold)].map((char) => (char === '*' ? any : char)),
    fold,
  )
}

/** A pattern of a path: `*` stays within a name, `**` does not, `?` and `[…]` are one character. */
export function pathGlob(pattern: string, fold = false): Glob {
  const text = [...folded(pattern, fold)]
  const tokens: Token[] = []
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    const close = char === '[' ? text.indexOf(']', at + 2) : -1
    if (char === '*' && text[at + 1] === '*') {
      tokens.push(any)
      while (text[at + 1] === '*') at++
    } else if (char === '*') tokens.push(name)
    else if (char === '?') tokens.push(one)
    else if (close > 0) {
      const body = text.slice(at + 1, close).join('')
      const negated = /^[!^]/.test(body)
      tokens.push({ set: negated ? body.slice(1) : body, negated })
      at = close
    } else tokens.push(char === '\\' && at + 1 < text.length ? (text[++at] as string) : char)
  }
  return globOf(tokens, fold)
}

function globOf(tokens: readonly Token[], fold: boolean): Glob {
  const texts = ['']
  for (const token of tokens) {
    if (typeof token === 'string') texts[texts.length - 1] += token
    else texts.push('')
  }
  const [prefix = '', suffix = ''] = [texts[0], texts.at(-1)]
  const needle = texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '')
  return { tokens, prefix, suffix, needle, fold, ...(texts.length === 1 && { literal: prefix }) }
}

/** Whether it matches whatever stands there. */
export const isUniversal = ({ tokens }: Glob): boolean =>
  tokens.length > 0 && tokens.every((token) => typeof token === 'object' && 'any' in token)

export function matchesText(glob: Glob, given: string): boolean {
  const text = folded(given, glob.fold)
  if (glob.literal !== undefined) return glob.literal === text
  // Most texts lack what a pattern says literally, and are done here.
  if (!text.startsWith(glob.prefix) || !text.endsWith(glob.suffix) || !text.includes(glob.needle)) return false
  return reach(glob.tokens, text).has(glob.tokens.length)
}

/** As far as a text is known: a gap in it may be filled with anything. */
export function matchesSlot(glob: Glob, slot: Slot): Match {
  const { parts } = slot
  if (parts.length === 1) return matchesText(glob, parts[0] as string) ? yes : no
  if (isUniversal(glob)) return yes
  if (parts.length === 2 && parts[0] === '' && parts[1] === '' && !slot.globbed && !slot.found) return maybe
  const known = glob.fold ? parts.map((part) => part.toLowerCase()) : parts
  const first = known[0] as string
  // Most patterns begin or end otherwise, and are done here.
  if (!startAlike(glob.prefix, first) || !endAlike(glob.suffix, known.at(-1) as string)) return no
  if (slot.globbed && !mayHold(glob.needle, known)) return no
  if (surely(glob.tokens, known)) return yes
  return waysToFill(known, slot, glob.fold).some((filled) => intersect(glob.tokens, filled)) ? maybe : no
}

const filledSlots = [new WeakMap<Slot, Token[][]>(), new WeakMap<Slot, Token[][]>()] as const

/** A slot meets many patterns: what may stand there is put together once. */
function waysToFill(known: readonly string[], slot: Slot, fold: boolean): Token[][] {
  const made = filledSlots[fold ? 1 : 0]
  const before = made.get(slot)
  if (before) return before
  const rest = known.slice(1).flatMap((part, at) => [...(at === 0 ? [] : gapBefore(at + 1, known, slot)), ...part])
  const ways = firstGap(known, slot).map((gap) => [...(known[0] as string), ...gap, ...rest])
  made.set(slot, ways)
  return ways
}

/** Gaps that hold no `/`: what a pattern says in front of one stands in front of one that is known. */
function mayHold(needle: string, parts: readonly string[]): boolean {
  const end = needle.indexOf('/')
  if (end < 1) return true
  const name = needle.slice(0, end)
  for (const [index, part] of parts.entries())
    for (let at = part.indexOf('/'); at >= 0; at = part.indexOf('/', at + 1)) {
      const before = part.slice(0, at)
      if (index === 0 ? before.endsWith(name) : endAlike(name, before)) return true
    }
  return false
}

const startAlike = (one: string, other: string): boolean =>
  one.length < other.length ? other.startsWith(one) : one.startsWith(other)

const endAlike = (one: string, other: string): boolean =>
  one.length < other.length ? other.endsWith(one) : one.endsWith(other)

/** Whatever fills the only gap, at the end: the pattern has reached a `**` that takes all of it. */
function surely(tokens: readonly Token[], parts: readonly string[]): boolean {
  const last = tokens.at(-1)
  if (parts.length !== 2 || parts[1] !== '' || typeof last !== 'object' || !('any' in last)) return false
  return reach(tokens, parts[0] as string).has(tokens.length - 1)
}

/** The ways to fill the first gap; a search may have found the name at once, or further down. */
function firstGap(parts: readonly string[], slot: Slot): Token[][] {
  if (!slot.found) return [gapBefore(1, parts, slot)]
  const begins = slot.found === 'name' ? [] : gapBefore(1, parts, slot)
  return [begins, [any, '/', ...begins]]
}

/** What a shell pattern matches begins with no dot, unless the dot is written; what `find` looks for may, but not as `*.log`. */
function gapBefore(at: number, parts: readonly string[], { globbed, found }: Slot): Token[] {
  if (!globbed && !found) return [any]
  const before = parts[at - 1] as string
  const begins = before === '' || before.endsWith('/')
  return begins && (globbed || parts[at]?.startsWith('.')) ? [head, name] : [name]
}

/** The states in which the tokens can be after the whole text: those before which everything has been matched. */
function reach(tokens: readonly Token[], text: string): Set<number> {
  let states = skipping(tokens, new Set([0]))
  for (const char of text) {
    const next = new Set<number>()
    for (const state of states) {
      const token = tokens[state]
      if (token === undefined || !accepts(token, char)) continue
      next.add(isStar(token) ? state : state + 1)
    }
    if (next.size === 0) return next
    states = skipping(tokens, next)
  }
  return states
}

function skipping(tokens: readonly Token[], states: Set<number>): Set<number> {
  for (const state of states) if (isStar(tokens[state])) states.add(state + 1)
  return states
}

/** Whether some text matches both: a walk over pairs of places, each visited once. A pair is one number. */
function intersect(left: readonly Token[], right: readonly Token[]): boolean {
  const width = right.length + 1
  const end = left.length * width + right.length
  const begin = alike(left, right)
  if (begin < 0) return false
  const seen = new Uint8Array(end + 1)
  const open = [begin * width + begin]
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    if (pair === end) return true
    if (seen[pair] === 1) continue
    seen[pair] = 1
    const by = pair % width
    const [one, other] = [left[(pair - by) / width], right[by]]
    const [oneStar, otherStar] = [isStar(one), isStar(other)]
    if (oneStar) open.push(pair + width)
    if (otherStar) open.push(pair + 1)
    if (isHead(other)) open.push(pair + 2)
    if (one === undefined || other === undefined || (oneStar && otherStar) || !agree(one, other)) continue
    open.push(pair + (oneStar ? 0 : width) + (otherStar ? 0 : 1))
  }
  return false
}

/** How far both say the same, character by character; -1 where they say something else. */
function alike(left: readonly Token[], right: readonly Token[]): number {
  for (let at = 0; ; at++) {
    const [one, other] = [left[at], right[at]]
    if (typeof one !== 'string' || typeof other !== 'string') return at
    if (one !== other) return -1
  }
}

function agree(one: Token, other: Token): boolean {
  if (typeof other === 'string') return accepts(one, other)
  if (isHead(other)) return one !== '.' && one !== '/'
  return typeof one === 'string' ? accepts(other, one) : true
}

const isHead = (token: Token | undefined): boolean => typeof token === 'object' && 'head' in token

const isStar = (token: Token | undefined): boolean => typeof token === 'object' && ('any' in token || 'name' in token)

function accepts(token: Token, char: string): boolean {
  if (typeof token === 'string') return token === char
  if ('any' in token) return true
  if (char === '/') return false
  return 'set' in token ? inSet(token.set, char) !== token.negated : true
}

function inSet(written: string, char: string): boolean {
  const set = [...written]
  for (let at = 0; at < set.length; at++) {
    const end = set[at + 1] === '-' ? set[at + 2] : undefined
    if (end === undefined ? set[at] === char : (set[at] as string) <= char && char <= end) return true
    if (end !== undefined) at += 2
  }
  return false
}

const folded = (text: string, fold: boolean): string => (fold ? text.toLowerCase() : text)
