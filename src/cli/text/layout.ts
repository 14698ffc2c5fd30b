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
