import { didYouMean, formatPath, isRecord, type Note, note, validate, type Where } from 'hookline/internal'
import type * as z from 'zod/mini'

export type Path = readonly (string | number)[]

/** An agent file being read: where its parts are written, and what was found wrong or doubtful so far. */
export interface Reading {
  locate(path: Path): Where
  problems: Note[]
  notes: Note[]
}

export function wrong(reading: Reading, path: Path, detail: string, fix: string): undefined {
  const words = { path: formatPath(path) || 'the file', detail: detail.replace(/\.$/, ''), fix }
  reading.problems.push(note('config-shape', words, { where: reading.locate(path) }))
  return undefined
}

/** A name that should be one of these. */
export function unknownName(reading: Reading, path: Path, what: string, name: string, known: readonly string[]): void {
  const all = known.length > 0 ? `There are: ${known.join(', ')}.` : 'There are none.'
  wrong(reading, path, `names ${what} \`${name}\`, which is not there`, `${didYouMean(name, known)} ${all}`.trim())
}

export function unsupportedKey(reading: Reading, path: Path, instead: string): void {
  const where = reading.locate(path)
  reading.notes.push(note('agent-key-unsupported', { path: formatPath(path), instead }, { where }))
}

/**
 * Reads one mapping of the file. A key that docker-agent knows and that has no effect here is noted. An unknown key is
 * an error when it looks like a typo of a known one (a rule must not be lost that way), else it is noted.
 */
export function readMapping<S extends z.ZodMiniType>(
  reading: Reading,
  value: unknown,
  path: Path,
  schema: S & { shape: object },
  unsupported: Readonly<Record<string, string>>,
): z.infer<S> | undefined {
  if (!isRecord(value)) return wrong(reading, path, 'must be a mapping', 'Write `key: value` lines under it.')
  const parsed = validate(schema, noteKeys(reading, value, path, schema, unsupported))
  if (parsed.ok) return parsed.value as z.infer<S>
  for (const { path: inner, detail, fix } of parsed.problems) wrong(reading, [...path, ...inner], detail, fix)
  return undefined
}

/** The known keys of a mapping that have a value; the others are noted, or wrong. */
export function noteKeys<T extends object>(
  reading: Reading,
  value: T | undefined,
  path: Path,
  schema: { shape: object },
  unsupported: Readonly<Record<string, string>>,
): Partial<T> {
  const known = Object.keys(schema.shape)
  const taken = Object.entries(value ?? {}).filter(([key, inner]) => {
    if (inner === null || inner === undefined) return false
    if (known.includes(key)) return true
    if (Object.hasOwn(unsupported, key)) unsupportedKey(reading, [...path, key], unsupported[key]!)
    else unknownKey(reading, [...path, key], key, known)
    return false
  })
  return Object.fromEntries(taken) as Partial<T>
}

function unknownKey(reading: Reading, path: Path, key: string, known: readonly string[]): void {
  const hint = didYouMean(key, known)
  const about = { where: reading.locate(path) }
  if (hint === '') reading.notes.push(note('agent-key-unknown', { key: formatPath(path) }, about))
  else reading.problems.push(note('config-unknown-key', { key, hint, known: known.join(', ') }, about))
}
