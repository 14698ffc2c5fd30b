import { isRecord } from '../../core/index.ts'

/** What one field of a reply must be; `words` say it to people, and `fields` are those of an object inside. */
export interface Kind {
  words: string
  fits(value: unknown): boolean
  fields?: Record<string, Kind>
}

export const text: Kind = { words: 'a string', fits: (value) => typeof value === 'string' }
export const flag: Kind = { words: 'true or false', fits: (value) => typeof value === 'boolean' }
export const object: Kind = { words: 'an object', fits: isRecord }

/**
 * Reads the fields of a reply: those it knows, and the names of those it does not; as text, what does not fit. `null` is
 * absent. By hand, not by schema: this runs for every answer. `spelt` is how a key is read that is not there as written.
 */
export function readFields<T extends object>(
  value: unknown,
  kinds: Record<string, Kind>,
  spelt: (key: string) => string = (key) => key,
): (T & { unknown: string[] }) | string {
  const unknown: string[] = []
  try {
    return { ...(read(value, kinds, '') as T), unknown }
  } catch (misfit) {
    if (typeof misfit === 'string') return misfit
    throw misfit
  }

  function read(part: unknown, expected: Record<string, Kind>, path: string): object {
    if (!isRecord(part)) throw `\`${path || 'the output'}\` must be an object`
    const found: Record<string, unknown> = {}
    for (const [written, item] of Object.entries(part)) {
      const key = Object.hasOwn(expected, written) ? written : spelt(written)
      const kind = Object.hasOwn(expected, key) ? expected[key] : undefined
      if (!kind) unknown.push(path + written)
      else if (item !== null && !kind.fits(item)) throw `\`${path}${key}\` must be ${kind.words}`
      else if (item !== null) found[key] = kind.fields ? read(item, kind.fields, `${path}${key}.`) : item
    }
    return found
  }
}
