import { readFileSync, statSync } from 'node:fs'
import type { Where } from '../../core/index.ts'
import { redactText } from '../../guards/index.ts'
import { printable } from './inspection.ts'
import type { Paint } from './paint.ts'

/** Where a frame is cut off when nothing says how wide a line may be. */
const usualWidth = 120
const longestFile = 4 * 1024 * 1024

/**
 * The line that a problem is on with its neighbours, and carets below the word that the message is about. Nothing when
 * the file cannot be read or has no such line. What looks like a secret is never shown.
 */
export function frameOf(where: Where, about: string, beside: string, paint: Paint, width: number): string[] {
  const lines = linesOf(where.file)
  const named = (where.line ?? 0) - 1
  if (!lines || lines[named] === undefined) return []
  const quoted = [...about.matchAll(/`([^`]+)`/g)].map(([, text]) => text!)
  const at = inBlock(lines, named, quoted)
  const line = lines[at]!
  const numbers = [at - 1, at, at + 1].filter((each) => each === at || (lines[each] ?? '').trim() !== '')
  const gutter = String(numbers.at(-1)! + 1).length
  const room = (width === Number.POSITIVE_INFINITY ? usualWidth : width) - gutter - 5
  const [start, end] = spanOf(line, quoted, at === named ? (where.column ?? 1) : 1)
  const from = Math.min(start, end) > room - 20 ? Math.max(0, start - 20) : 0
  const row = (label: string, text: string) => `  ${paint.dim(`${label.padStart(gutter)} │`)} ${text}`.trimEnd()
  return numbers.flatMap((each) => {
    const text = row(String(each + 1), shown(lines[each]!, from, room))
    if (each !== at) return [text]
    const before = shown(line.slice(0, start), from, Number.POSITIVE_INFINITY).length
    const carets = '^'.repeat(Math.max(1, Math.min(end - start, room - before)))
    return [text, row('', `${' '.repeat(before)}${paint.red(carets)}${beside === '' ? '' : ` ${beside}`}`)]
  })
}

function linesOf(file: string): string[] | undefined {
  try {
    if (statSync(file).size > longestFile) return undefined
    const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '')
    return redactText(text).redacted.split(/\r?\n/)
  } catch {
    return undefined
  }
}

/** In YAML, the text of a block stands on the lines below its key. */
function inBlock(lines: readonly string[], at: number, quoted: readonly string[]): number {
  if (!/[|>][-+\d]*\s*$/.test(lines[at]!)) return at
  const below = lines.findIndex((line, index) => index > at && quoted.some((text) => line.includes(text)))
  return below === -1 || below > at + 30 ? at : below
}

/** What the message quotes, if it stands on the line behind the place; else the word at the place. */
function spanOf(line: string, quoted: readonly string[], column: number): [start: number, end: number] {
  const place = Math.min(column - 1, line.length)
  const word = quoted.find((text) => line.includes(text, place))
  if (word !== undefined) return [line.indexOf(word, place), line.indexOf(word, place) + word.length]
  const start = place + /^\s*/.exec(line.slice(place))![0].length
  const [token = ''] = /^(?:"[^"]*"|'[^']*'|[^\s,:{}[\]]+|.)/.exec(line.slice(start)) ?? []
  return [start, start + token.length]
}

function shown(text: string, from: number, room: number): string {
  const plain = printable(text.replaceAll('\t', ' '))
  const cut = from > 0 ? `…${plain.slice(from + 1)}` : plain
  return cut.length > room ? `${cut.slice(0, room - 1)}…` : cut
}
