import type { Paint } from 'hookline/internal'
import { breadth, indent, printable } from 'hookline/internal'
import type { ToolCall } from '../message.ts'

/** So many lines of a result are shown; the model sees all of it. */
const resultLines = 6

/** `● shell  npm test`: what is called, and with what, on one line. */
export function showCall({ name, input, invalid }: ToolCall, paint: Paint, width: number): string {
  const what = invalid === undefined ? describeInput(input) : `arguments that cannot be read: ${invalid}`
  const head = `${paint.cyan('●')} ${paint.bold(printable(name))}`
  return `${head}  ${clipped(printable(oneLine(what)), width - breadth(head) - 2)}`.trimEnd()
}

/** The beginning of what a tool returned, and how much more there is. */
export function showResult(content: string, failed: boolean, paint: Paint, width: number): string[] {
  const lines = content.trimEnd().split('\n')
  const shown = lines.slice(0, lines.length === resultLines + 1 ? resultLines + 1 : resultLines)
  const more = lines.length - shown.length
  const painted = shown.map((line) => (failed ? paint.red : paint.dim)(clipped(printable(line), width - 4)))
  if (content.trim() === '') return [paint.dim(failed ? '  ✗ failed, and said nothing' : '  (no output)')]
  return indent([...painted, ...(more > 0 ? [paint.dim(`… ${more.toLocaleString('en')} more lines`)] : [])], 2)
}

/** Everything that a call would do, for a person who has to decide about it; nothing is cut. */
export function showInput(input: Readonly<Record<string, unknown>>): string[] {
  const [only, ...more] = Object.entries(input)
  if (only && more.length === 0 && typeof only[1] === 'string') return printable(only[1]).split('\n')
  return Object.entries(input).flatMap(([key, value]) => {
    const [first = '', ...rest] = printable(typeof value === 'string' ? value : JSON.stringify(value)).split('\n')
    return [`${printable(key)}: ${first}`, ...indent(rest, 2)]
  })
}

/** The one argument that says it all, where there is only one; else all of them, as JSON. */
function describeInput(input: Readonly<Record<string, unknown>>): string {
  const values = Object.values(input)
  if (values.length === 0) return ''
  if (typeof values[0] === 'string' && values.length === 1) return values[0]
  return JSON.stringify(input)
}

export function clipped(text: string, width: number): string {
  if (width === Number.POSITIVE_INFINITY || text.length <= width) return text
  return `${[...text].slice(0, Math.max(1, width - 1)).join('')}…`
}

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
