import { hash } from 'node:crypto'
import { isRecord } from '../core/index.ts'
import { MARKER_OPEN } from '../guards/secrets/index.ts'
import { toBody } from './line.ts'

/** Stands where something too large for a line was: how long it was, what it hashes to, and how it began. */
export interface Clipped {
  clipped: true
  length: number
  sha256: string
  head: string
}

/**
 * An entry as JSON of at most `limit` bytes. Long strings are clipped first, ever shorter; if there are simply too many
 * of them, the largest fields of the entry go. The entry must be redacted already: the hash of a short secret gives it away.
 */
export function shorten<T extends object>(entry: T, limit: number): { value: T; body: string } {
  let value = entry
  let body = toBody(value)
  for (const longest of [16_384, 1024, 128]) {
    if (fits(body, limit)) return { value, body }
    value = clipStrings(entry, longest) as T
    body = toBody(value)
  }
  const fields = { ...value } as Record<string, unknown>
  const bySize = Object.keys(fields).sort((a, b) => sizeOf(fields[b]) - sizeOf(fields[a]))
  for (const name of bySize) {
    if (fits(body, limit)) break
    fields[name] = clip(toBody({ value: fields[name] }), 128)
    body = toBody(fields)
  }
  return { value: fields as T, body }
}

/** At most three bytes of UTF-8 per UTF-16 unit, so most bodies need no counting. */
const fits = (body: string, limit: number) => body.length * 3 <= limit || utf8.encode(body).length <= limit
const utf8 = new TextEncoder()

function clipStrings(value: unknown, longest: number): unknown {
  if (typeof value === 'string') return value.length > longest ? clip(value, longest / 4) : value
  if (Array.isArray(value)) return value.map((item) => clipStrings(item, longest))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clipStrings(item, longest)]))
}

function clip(text: string, headLength: number): Clipped {
  return { clipped: true, length: text.length, sha256: hash('sha256', text, 'hex'), head: text.slice(0, headLength) }
}

const sizeOf = (value: unknown) => toBody({ value }).length

/** In which ways what was kept of a payload is not what was raised, in words; none when it is. */
export function whatIsMissing(payload: unknown): string[] {
  if (payload === undefined) return ['the payload was not kept']
  return [...new Set(lookInto(payload))]
}

function lookInto(value: unknown): string[] {
  if (typeof value === 'string') return value.includes(MARKER_OPEN) ? ['secrets were removed'] : []
  if (Array.isArray(value)) return value.flatMap(lookInto)
  if (!isRecord(value)) return []
  if (value['clipped'] === true && typeof value['sha256'] === 'string') return ['long texts were clipped']
  if (typeof value['omitted'] === 'string') return ['the payload could not be kept']
  if (typeof value['digest'] === 'string' && Object.keys(value).length === 1) return ['only a digest of it was kept']
  return Object.entries(value).flatMap(([key, each]) => [...lookInto(key), ...lookInto(each)])
}

/** With the beginning of each clipped text in its place: as much as is known of what was there. */
export function unclipped<T>(value: T): T {
  return restore(value) as T
}

function restore(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(restore)
  if (!isRecord(value)) return value
  if (value['clipped'] === true && typeof value['head'] === 'string') return value['head']
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, restore(each)]))
}
