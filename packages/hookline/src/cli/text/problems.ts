import { formatNote, formatWhere, type HooklineError, type Note, splitHint } from '../../core/index.ts'
import { frameOf } from './frame.ts'
import { printable } from './inspection.ts'
import { breadth, indent, wrap } from './layout.ts'
import { codePrefix, oneLine, type Severity, severities } from './notes.ts'
import { type Paint, paintFor, widthOf } from './paint.ts'

/** An error for a person: what it comes to in one sentence, and every problem with the lines that it is about. */
export function showError({ message, notes }: HooklineError, stream: { isTTY?: boolean; columns?: number }): string {
  const [paint, width] = [paintFor(stream), widthOf(stream)]
  // Problems without a place have no lines to show.
  if (!notes.some(({ where }) => where?.line !== undefined)) return wrap(message, width).join('\n')
  const each = notes.map(formatNote)
  const above = message.slice(0, message.length - each.join('\n').length).trimEnd()
  const isAbove = above !== '' && message === `${above}\n${each.join('\n')}`
  const shown = notes.flatMap((note) => showProblem(note, 'error', paint, width))
  return [...(isAbove ? [...wrap(above, width), ''] : []), ...shown.slice(0, -1)].join('\n')
}

/**
 * A problem in a file: where, how bad and what, with its code at the right; the lines it is about; and what to do. A name
 * that was nearly right stands beside the carets, in place of the list of all names.
 */
export function showProblem(note: Note, severity: Severity, paint: Paint, width: number): string[] {
  const { message, meant } = splitHint(note.message)
  const beside = meant === undefined ? '' : `did you mean ${meant}?`
  const frame = note.where ? frameOf(note.where, message, beside, paint, width) : []
  const what = frame.length > 0 ? message : note.message
  const remedy =
    frame.length > 0 && meant !== undefined ? note.remedy.replace(/(?:^| )Known [\w ]+: [\s\S]*$/, '') : note.remedy
  return [
    ...titleOf({ ...note, message: what }, severity, paint, width),
    ...frame,
    ...(remedy === '' ? [] : indent(wrap(printable(`→ ${oneLine(remedy)}`), width - 2), 2)),
    '',
  ]
}

/** What is worth knowing and no problem: without the lines. */
export function showRemark(note: Note, paint: Paint, width: number): string[] {
  const remedy = indent(wrap(printable(`→ ${oneLine(note.remedy)}`), width - 2), 2)
  return [...titleOf(note, 'note', paint, width), ...remedy, '']
}

/** Where a line may be as long as it likes, the code still stands where one looks for it. */
const rightEdge = 100

function titleOf({ where, hook, message, code }: Note, severity: Severity, paint: Paint, width: number): string[] {
  const place = where ? [paint.bold(printable(formatWhere(where)))] : []
  const head = [...place, paint[severities[severity]](severity)].join('  ')
  const what = printable([...(hook === undefined ? [] : [`hook "${hook}":`]), oneLine(message)].join(' '))
  const name = paint.cyan(`${codePrefix}${code}`)
  const right = (left: string, edge: number) =>
    `${left}${' '.repeat(Math.max(2, edge - breadth(left) - breadth(name)))}${name}`
  const whole = `${head}  ${what}`
  if (width === Number.POSITIVE_INFINITY) return [right(whole, rightEdge)]
  if (breadth(whole) + 2 + breadth(name) <= width) return [right(whole, width)]
  return [right(head, width), ...indent(wrap(what, width - 2), 2)]
}
