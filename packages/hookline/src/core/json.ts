import { isInteger, isSafeNumber, parse as parseLossless, stringify as stringifyLossless } from 'lossless-json'

/**
 * JSON from outside, read so that no reading can be smuggled past another: nesting is bounded, a repeated key and
 * `__proto__`-like keys are refused, a byte order mark is dropped, and integers too large for a double stay exact.
 */
export type Parsed = { ok: true; value: unknown } | { ok: false; detail: string }

export const maxDepth = 64
const refusedKeys = new Set(['__proto__', 'constructor', 'prototype'])

export function parseJson(text: string): Parsed {
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : String(error) }
  }
  const findings = inspect(source)
  if (findings.refused !== undefined) return { ok: false, detail: findings.refused }
  return { ok: true, value: findings.hasBigInteger ? parseLossless(source, null, exactNumber) : value }
}

/** The inverse of parseJson: exact integers are written as they were read. */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (error) {
    if (error instanceof TypeError && /BigInt/.test(error.message)) return stringifyLossless(value) ?? 'null'
    throw error
  }
}

/** A value of any kind as text. Not String(): data from outside may have a `toString` of its own. */
export function plainText(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value)
}

/** Whether two pieces of plain data say the same; the order of keys does not matter. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  return keys.every((key) => Object.hasOwn(other, key) && sameJson(one[key as never], other[key as never]))
}

/** The same data with its keys in order, for a text that does not depend on who wrote it. */
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (typeof value !== 'object' || value === null) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, sortedKeys(value[key as never])]))
}

function exactNumber(digits: string): unknown {
  return isInteger(digits) && !isSafeNumber(digits) ? BigInt(digits) : Number(digits)
}

/** One pass over text that JSON.parse has accepted, so structure can be trusted and only meaning is checked. */
function inspect(source: string): { refused?: string; hasBigInteger: boolean } {
  const open: (Set<string> | undefined)[] = []
  let hasBigInteger = false
  for (let at = 0; at < source.length; at++) {
    const character = source.charCodeAt(at)
    if (character === quote) {
      const end = endOfString(source, at)
      const keys = open.at(-1)
      if (keys && isKey(source, end + 1)) {
        const key = JSON.parse(source.slice(at, end + 1)) as string
        if (refusedKeys.has(key)) return { refused: `the key "${key}" is not allowed`, hasBigInteger }
        if (keys.has(key)) return { refused: `the key "${key}" appears twice`, hasBigInteger }
        keys.add(key)
      }
      at = end
    } else if (character === openBrace || character === openBracket) {
      if (open.push(character === openBrace ? new Set() : undefined) > maxDepth)
        return { refused: `it is nested more than ${maxDepth} levels deep`, hasBigInteger }
    } else if (character === closeBrace || character === closeBracket) open.pop()
    else if (character >= zero && character <= nine) {
      const [number = '', digits = ''] = /^(\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?/.exec(source.slice(at, at + 400)) ?? []
      if (digits.length > 15) hasBigInteger = true
      if (digits !== number && !Number.isFinite(Number(number)))
        return { refused: `the number ${number} is too large`, hasBigInteger }
      at += Math.max(number.length, 1) - 1
    }
  }
  return { hasBigInteger }
}

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
const [zero, nine] = [0x30, 0x39]

function endOfString(source: string, start: number): number {
  let at = start + 1
  while (source.charCodeAt(at) !== quote) at += source.charCodeAt(at) === backslash ? 2 : 1
  return at
}

function isKey(source: string, after: number): boolean {
  let at = after
  while (source.charCodeAt(at) <= 0x20) at++
  return source.charCodeAt(at) === colon
}

/**
 * A deep-frozen copy of plain data: hooks share it, and none can change it for another or for the host. `into` is an
 * object to fill, which holds what the data may leave out; a literal, since V8 makes a slow dictionary of any other.
 */
export function frozenCopy<T>(value: T, into?: Record<string, unknown>): T {
  return (into ? copyInto(into, value as object, 0) : copy(value, 0)) as T
}

const deepest = 200

function copy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > deepest) throw new RangeError(`The payload is nested more than ${deepest} levels deep.`)
  if (Array.isArray(value)) return Object.freeze(value.map((item) => copy(item, depth + 1)))
  return copyInto({}, value, depth)
}

function copyInto(result: Record<string, unknown>, value: object, depth: number): unknown {
  for (const key of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[key]
    if (field === undefined || typeof field === 'function' || typeof field === 'symbol') continue
    result[key] = typeof field === 'object' ? copy(field, depth + 1) : field
  }
  return Object.freeze(result)
}

/** Whether a text of a JSON value passes: a string, or the name of a key. */
export function someText(value: unknown, passes: (text: string) => boolean): boolean {
  if (typeof value === 'string') return passes(value)
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((item) => someText(item, passes))
  return Object.entries(value).some(([key, item]) => passes(key) || someText(item, passes))
}

/** The same with every text changed, wherever it stands; keys stay. */
export function mapTexts<T>(value: T, change: (text: string) => string): T {
  const map = (item: unknown): unknown => {
    if (typeof item === 'string') return change(item)
    if (Array.isArray(item)) return item.map(map)
    if (typeof item !== 'object' || item === null) return item
    return Object.fromEntries(Object.entries(item).map(([key, inner]) => [key, map(inner)]))
  }
  return map(value) as T
}
