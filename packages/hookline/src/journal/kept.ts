import { isRecord } from '../core/index.ts'
import { MARKER_OPEN } from '../guards/secrets/index.ts'

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
