import { breadth, indent, wrap } from './layout.ts'

/** A row of a table: what it is about, two blanks or more, and the text about it. */
const row = /^( {2,}\S(?:.*?\S)? {2,})(\S.*)$/

/** Help as wide as the terminal: paragraphs flow, and the text of a table stays in its column. Examples stay as they are. */
export function fitHelp(text: string, width: number): string {
  return text
    .split('\n\n')
    .map((block) => fitBlock(block.split('\n'), width).join('\n'))
    .join('\n\n')
}

function fitBlock(lines: readonly string[], width: number): string[] {
  if (lines.every((line) => /^\S/.test(line) && !line.endsWith(':'))) return wrap(lines.join(' '), width)
  return lines.flatMap((line) => {
    const [, about, text] = row.exec(line) ?? []
    if (about === undefined || text === undefined || breadth(line) <= width) return [line]
    const room = width - breadth(about)
    if (room < 30) return [about.trimEnd(), ...indent(wrap(text, width - 10), 10)]
    const [first = '', ...rest] = wrap(text, room)
    return [about + first, ...indent(rest, breadth(about))]
  })
}
