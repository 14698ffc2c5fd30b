import { columns, indent, wrap } from './layout.ts'
import type { Paint } from './paint.ts'

/** One of our generated pages for a terminal: headings, tables, fences, lists and `code`; nothing else occurs in them. */
export function showMarkdown(markdown: string, paint: Paint, width: number): string {
  return blocksOf(markdown)
    .map((block) => showBlock(block, paint, width).join('\n'))
    .join('\n\n')
}

/** From its heading to the next one that is as high or higher; undefined when there is none. */
export function cutSection(page: string, heading: string): string | undefined {
  const lines = page.split('\n')
  const from = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading)
  if (from === -1) return undefined
  const level = lines[from]!.indexOf(' ')
  const end = lines.findIndex((line, at) => at > from && /^#+ /.test(line) && line.indexOf(' ') <= level)
  return lines
    .slice(from, end === -1 ? undefined : end)
    .join('\n')
    .trim()
}

function blocksOf(markdown: string): string[] {
  const fences = markdown.split(/^(```.*\n[\s\S]*?\n```)$/m)
  return fences.flatMap((part, at) => (at % 2 === 1 ? [part] : part.split(/\n{2,}/))).flatMap((block) => trimmed(block))
}

function trimmed(block: string): string[] {
  const text = block.replace(/^\n+|\n+$/g, '')
  return text === '' || text.startsWith('<!--') ? [] : [text]
}

function showBlock(block: string, paint: Paint, width: number): string[] {
  const inline = (text: string) => styled(text, paint)
  if (block.startsWith('```')) return indent(block.split('\n').slice(1, -1), 2).map(paint.dim)
  if (block.startsWith('#')) return [paint.bold(block.replace(/^#+ /, ''))]
  if (block.startsWith('|')) return showTable(block, paint, width)
  if (block.startsWith('- '))
    return block.split('\n').flatMap((line) => {
      const [first = '', ...rest] = wrap(inline(line.slice(2)), width - 2)
      return [`• ${first}`, ...indent(rest, 2)]
    })
  return wrap(inline(block), width)
}

function showTable(block: string, paint: Paint, width: number): string[] {
  const [head = [], , ...rows] = block.split('\n').map(cellsOf)
  return columns([head.map(paint.dim), ...rows.map((row) => row.map((cell) => styled(cell, paint)))], width)
}

const cellsOf = (line: string) =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

function styled(text: string, paint: Paint): string {
  return text
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/\*\*([^*]+)\*\*/g, (_whole, inner: string) => paint.bold(inner))
    .replace(/`([^`]+)`/g, (_whole, inner: string) => paint.cyan(inner))
}

/** A table of Markdown; bars in cells are escaped. */
export function writeTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}
