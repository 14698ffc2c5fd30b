import { formatWhere, type Note } from '../../core/index.ts'
import { printable } from './inspection.ts'
import { indent, wrap } from './layout.ts'
import type { Colour, Paint } from './paint.ts'

export const severities = { error: 'red', warning: 'yellow', fixed: 'green', note: 'dim' } as const satisfies Record<
  string,
  Colour
>
export type Severity = keyof typeof severities

/** `file:line:column  severity  what  → remedy`: on one line for a program, the remedy below for a person. */
export function showNote(note: Note, severity: Severity, paint: Paint, width: number): string[] {
  const place = note.where ? [formatWhere(note.where)] : []
  const hook = note.hook === undefined ? [] : [`hook "${note.hook}":`]
  const label = paint[severities[severity]](severity)
  const what = printable([...hook, note.message].join(' '))
  const remedy = note.remedy === '' ? '' : printable(`→ ${note.remedy}`)
  if (width === Number.POSITIVE_INFINITY)
    return [[...place, label, oneLine(what), oneLine(remedy)].join('  ').trimEnd()]
  const head = [...place.map(paint.bold), label].join('  ')
  return [head, ...indent(wrap(what, width - 2), 2), ...indent(wrap(remedy, width - 2).map(paint.dim), 2), '']
}

/** How a code is shown, so that it can be told from other words and searched for. `hookline docs` reads it either way. */
export const codePrefix = 'HL-'

export const oneLine = (text: string) => text.replace(/\s*\n\s*/g, ' ')
