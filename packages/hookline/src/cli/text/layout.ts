import { stripVTControlCharacters } from 'node:util'

/** How many columns a text takes on a terminal, colours not counted. */
export const breadth = (text: string): number => [...stripVTControlCharacters(text)].length

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
  const count = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: Math.max(0, count - 1) }, (_, at) =>
    Math.max(...rows.map((row) => (at < row.length - 1 ? breadth(row[at] ?? '') : 0))),
  )
  return rows.flatMap((row) => {
    const head = row.slice(0, -1).map((cell, at) => pad(cell, (widths[at] ?? 0) + gap))
    const from = head.reduce((sum, cell) => sum + breadth(cell), 0)
    const [first = '', ...rest] = wrap(row.at(-1) ?? '', Math.max(20, width - from))
    return [`${head.join('')}${first}`.trimEnd(), ...indent(rest, from)]
  })
}

const pad = (cell: string, width: number) => cell + ' '.repeat(Math.max(0, width - breadth(cell)))

/** `1 problem`, `2 problems`, `no problems`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number === 0 ? 'no' : grouped(number)} ${number === 1 ? one : many}`
}

/** `1,000`. By hand: the first `toLocaleString` of a process takes as long as a third of its start. */
const grouped = (number: number) => String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
