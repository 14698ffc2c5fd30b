import type { Statement, Value } from './sql.ts'

/** Equal inserts of one run, as one statement with a list for each placeholder. */
export interface Bulk {
  table: string
  /** In the order of the placeholders: which column each fills; undefined where it goes through an expression, as text. */
  fills: readonly (string | undefined)[]
  /** With the types of the placeholders, given as those of PostgreSQL. */
  text(types: readonly string[]): string
}

/** What can be gathered of one insert; undefined: it is something else, and runs by itself. */
export function bulkOf(sql: string): Bulk | undefined {
  const [, table, columnText, valueText] = /^insert into (\w+) \(([^)]*)\)\s+values \((.*)\)$/s.exec(sql) ?? []
  if (table === undefined || columnText === undefined || valueText === undefined) return undefined
  const columns = columnText.split(',').map((name) => name.trim())
  const values = partsOf(valueText)
  const count = Math.max(0, ...[...valueText.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
  if (count === 0 || values.length !== columns.length) return undefined
  const fills = Array.from({ length: count }, (_, at) => columns[values.indexOf(`$${at + 1}`)])
  const chosen = values.map((value) => value.replace(/\$(\d+)/g, 'given.v$1')).join(', ')
  const names = fills.map((_, at) => `v${at + 1}`).join(', ')
  return {
    table,
    fills,
    text: (types) =>
      `insert into ${table} (${columns.join(', ')}) select ${chosen} from unnest(${types
        .map((type, at) => `$${at + 1}::${type}[]`)
        .join(', ')}) as given (${names})`,
  }
}

/** One list for each placeholder, as PostgreSQL reads lists. */
export function listsOf(statements: readonly Statement[], count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    let list = ''
    for (const { values } of statements) list += list === '' ? item(values![at]!) : `,${item(values![at]!)}`
    return `{${list}}`
  })
}

function item(value: Value): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  return `"${special.test(value) ? cleaned(value).replace(/["\\]/g, '\\$&') : value}"`
}

const special = /["\\\0]/

/** PostgreSQL keeps no zero characters in texts. */
export const cleaned = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text)

/** Between commas that are in no brackets and in no quotes. */
function partsOf(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let quoted = false
  let part = ''
  for (const letter of text) {
    if (letter === "'") quoted = !quoted
    else if (!quoted && letter === '(') depth++
    else if (!quoted && letter === ')') depth--
    if (letter === ',' && depth === 0 && !quoted) {
      parts.push(part.trim())
      part = ''
    } else part += letter
  }
  return [...parts, part.trim()]
}
