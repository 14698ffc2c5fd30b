import { isDeepStrictEqual } from 'node:util'
import { parse, TomlError } from 'smol-toml'
import { isRecord } from '../core/index.ts'

const begins = '# hookline: begin. `hookline uninstall` removes this block.'
const beginsWithLineEnd = '# hookline: begin, with the line end before it. `hookline uninstall` removes this block.'
const ends = '# hookline: end'

export type Edited = { ok: true; text: string } | { ok: false; detail: string }

/** Tables with texts in them, by the keys that lead there. */
export interface Table {
  path: readonly string[]
  values: Readonly<Record<string, string>>
}

/**
 * Puts tables at the end of a file, in a block that is marked as ours; one that is there already is replaced. Nothing else
 * changes, which is proved by reading both: what is there after must be what was there before, and ours.
 */
export function addTables(text: string, tables: readonly Table[]): Edited {
  const base = removeTables(text)
  const before = read(base)
  if ('detail' in before) return { ok: false, detail: before.detail }
  const eol = /\r\n/.test(text) ? '\r\n' : '\n'
  const lines = tables.flatMap(({ path, values }) => [
    `[${path.map(keyOf).join('.')}]`,
    ...Object.entries(values).map(([key, value]) => `${keyOf(key)} = ${JSON.stringify(value)}`),
  ])
  const isClosed = base === '' || /\n$/.test(base)
  const block = [isClosed ? begins : beginsWithLineEnd, ...lines, ends].join(eol)
  const next = `${base}${isClosed ? '' : eol}${block}${eol}`
  const after = read(next)
  if ('detail' in after) return { ok: false, detail: `our block does not fit in: ${after.detail}` }
  const wanted = structuredClone(before.value)
  for (const { path, values } of tables) put(wanted, path, values)
  // The parser's objects have no prototype, copies do.
  if (!isDeepStrictEqual(structuredClone(after.value), wanted))
    return { ok: false, detail: 'our block would change what else is there' }
  return { ok: true, text: next }
}

/** The text without our block; the same text where there is none. */
export function removeTables(text: string): string {
  const plain = text.indexOf(begins)
  const from = plain === -1 ? text.indexOf(beginsWithLineEnd) : plain
  const end = text.indexOf(ends, from)
  if (from === -1 || end === -1) return text
  const before = text.slice(0, from)
  const rest = text.slice(end + ends.length).replace(/^\r?\n/, '')
  return (plain === -1 && rest === '' ? before.replace(/\r?\n$/, '') : before) + rest
}

export const hasTables = (text: string): boolean => removeTables(text) !== text

function read(text: string): { value: Record<string, unknown> } | { detail: string } {
  try {
    return { value: parse(text.replace(/^\uFEFF/, '')) }
  } catch (error) {
    if (error instanceof TomlError) return { detail: error.message.split('\n')[0]! }
    throw error
  }
}

const keyOf = (key: string): string => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))

function put(into: Record<string, unknown>, path: readonly string[], values: object): void {
  let at = into
  for (const key of path) {
    if (!isRecord(at[key])) at[key] = {}
    at = at[key] as Record<string, unknown>
  }
  Object.assign(at, values)
}
