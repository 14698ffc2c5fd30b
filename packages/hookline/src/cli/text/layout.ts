import { stripVTControlCharacters } from 'node:util'

/** How many columns a text takes on a terminal, colours not counted. */
export const breadth = (text: string): number =>
  plain.test(text) ? text.length : [...stripVTControlCharacters(text)].length

const plain = /^[\x20-\x7e]*$/

/** Breaks at blanks; a word that is wider than the line keeps a line of its own. Lines of the text stay lines. */
export function wrap(text: string, width: number): string[] {
  if (width === Number.POSITIVE_INFINITY) return text.split('\n')
  return text.split('\n').flatMap((line) => wrapLine(line, width))
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(' ')) {
    if (current !== '' && breadth(current) + 1 + breadth(word) > width) {
      lines.push(current)
      current = word
    } else current = current === '' ? word : `${current} ${word}`
  }
  return [...lines, current]
}

export function indent(lines: readonly string[], by: number): string[] {
  return lines.map((line) => (line === '' ? '' : `${' '.repeat(by)}${line}`))
}

/** Cells under each other; the last one takes the rest of the line, and wraps within it. */
export function columns(rows: readonly (readonly string[])[], width = Number.POSITIVE_INFINITY, gap = 2): string[] {
  const breadths = rows.map((row) => row.slice(0, -1).map(breadth))
  const widths: number[] = []
  for (const row of breadths) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell)
  return rows.flatMap((row, index) => {
    let head = ''
    let from = 0
    for (const [at, cell] of breadths[index]!.entries()) {
      head += row[at]! + ' '.repeat(widths[at]! + gap - cell)
      from += widths[at]! + gap
    }
    const [first = '', ...rest] = wrap(row.at(-1) ?? '', Math.max(20, width - from))
    return [`${head}${first}`.trimEnd(), ...indent(rest, from)]
  })
}

/** `1 problem`, `2 problems`, `no problems`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number === 0 ? 'no' : grouped(number)} ${number === 1 ? one : many}`
}

/** `1,000`. By hand: the first `toLocaleString` of a process takes as long as a third of its start. */
const grouped = (number: number) => String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')

const steps = [
  [60, 's'],
  [60, 'min'],
  [24, 'h'],
  [30, 'd'],
] as const

/** How long ago, in the largest unit that fits; a date, when it is long ago. */
export function ago(time: string, now = new Date()): string {
  let amount = Math.max(0, (now.getTime() - Date.parse(time)) / 1000)
  for (const [size, unit] of steps) {
    if (amount < size) return `${Math.floor(amount)} ${unit} ago`
    amount /= size
  }
  return time.slice(0, 10)
}

const blocks = {
  utf8: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
  ascii: ['_', '.', '-', '=', '+', '*', '#', '@'],
} as const

/** Whether the terminal shows more than ASCII, by the locale; a pipe is read as UTF-8. */
export function showsUnicode(env: NodeJS.ProcessEnv = process.env): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG']
  if (process.platform === 'win32') return env['WT_SESSION'] !== undefined || /utf-?8/i.test(locale ?? '')
  return locale === undefined || /utf-?8/i.test(locale)
}

/** One character for each value, as high as it is against the highest; nothing where there is nothing. */
export function sparkline(values: readonly number[], unicode = showsUnicode()): string {
  const steps = unicode ? blocks.utf8 : blocks.ascii
  const highest = Math.max(...values)
  if (!(highest > 0)) return ' '.repeat(values.length)
  return values
    .map((value) =>
      value <= 0 ? ' ' : steps[Math.min(steps.length - 1, Math.ceil((value / highest) * steps.length) - 1)],
    )
    .join('')
}

/** A bar that takes its share of the width; something that is there is never nothing. */
export function bar(value: number, highest: number, width: number, unicode = showsUnicode()): string {
  if (value <= 0 || highest <= 0) return ''
  return (unicode ? '█' : '#').repeat(Math.max(1, Math.round((value / highest) * width)))
}
