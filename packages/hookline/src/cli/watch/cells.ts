import { stripVTControlCharacters } from 'node:util'
import truncatedWidth from 'fast-string-truncated-width'

/** How many cells of a terminal a text takes: two for what is wide, colours none. */
export const cells = (text: string): number =>
  ascii.test(text) ? text.length : truncatedWidth(stripVTControlCharacters(text)).width

const ascii = /^[\x20-\x7e]*$/

/** No wider than this; what is cut off ends with a sign. The text has no colours yet. */
export function fit(text: string, width: number): string {
  if (width <= 0) return ''
  if (cells(text) <= width) return text
  const { index } = truncatedWidth(text, { limit: width, ellipsis: '…', ellipsisWidth: 1 })
  return `${text.slice(0, index)}…`
}

/** Exactly this wide. */
export function fill(text: string, width: number): string {
  const fitting = fit(text, width)
  return fitting + ' '.repeat(Math.max(0, width - cells(fitting)))
}

/** Lines no wider than this, broken at blanks; a word that is wider is broken, never cut off. */
export function wrapCells(text: string, width: number): string[] {
  const lines: string[] = []
  let current = ''
  for (const word of text.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`
    if (cells(longer) <= width) {
      current = longer
      continue
    }
    if (current !== '') lines.push(current)
    current = word
    while (cells(current) > width) {
      const index = Math.max(1, truncatedWidth(current, { limit: width }).index)
      lines.push(current.slice(0, index))
      current = current.slice(index)
    }
  }
  return [...lines, current]
}

/** A label before each text, which wraps in its own column. */
export function labelled(rows: readonly (readonly string[])[], width: number): string[] {
  const labels = Math.max(...rows.map(([label = '']) => cells(label)))
  return rows.flatMap(([label = '', text = '']) =>
    wrapCells(text, Math.max(10, width - labels - 2)).map(
      (line, at) => `${fill(at === 0 ? label : '', labels)}  ${line}`,
    ),
  )
}

const plainly: Readonly<Record<string, string>> = {
  '✓': '+',
  '✗': 'x',
  '·': '-',
  '─': '-',
  '…': '>',
  '–': '-',
  '↑': '^',
  '↓': 'v',
  '›': '>',
}

/** For a terminal that shows nothing but ASCII: as wide as before. */
export const toAscii = (text: string): string =>
  text.replace(/[^\x00-\x7e]/gu, (character) => plainly[character] ?? '?'.repeat(cells(character)))
