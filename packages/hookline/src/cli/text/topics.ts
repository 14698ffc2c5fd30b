import { bundles } from '../../builtins/bundles/index.ts'
import { documentBuiltins } from '../../builtins/document.ts'
import { builtins } from '../../builtins/index.ts'
import { configSections, renderEvents, renderRules } from '../../config/document.ts'
import { type Code, effects, eventNames, foldName, problems } from '../../core/index.ts'
import { dialectNames, loadDialect } from '../../dialects/index.ts'
import { executorTypes, loadExecutor } from '../../executors/index.ts'
import { type Command, type CommandTable, spelledValue } from '../command.ts'
import { columns, indent, wrap } from './layout.ts'
import { codePrefix } from './notes.ts'
import type { Paint } from './paint.ts'

interface Kind {
  plural: string
  names: readonly string[]
  /** The page of one of these names, as Markdown. */
  page(name: string): string | Promise<string>
}

/** Everything that has a page, by kind. One line each; the words come from the tables. */
export const topicKinds = (commands: CommandTable): Kinds => ({
  topic: { plural: 'Topics', names: Object.keys(topicPages), page: (name) => topicPages[name]!() },
  event: { plural: 'Events', names: eventNames, page: (name) => cutSection(renderEvents(), name) ?? '' },
  builtin: { plural: 'Builtins', names: Object.keys(builtins), page: pageOfBuiltin },
  bundle: { plural: 'Bundles', names: Object.keys(bundles), page: pageOfBundle },
  type: { plural: 'Types of hook', names: executorTypes, page: pageOfType },
  effect: { plural: 'Effects', names: Object.keys(effects), page: pageOfEffect },
  dialect: { plural: 'Dialects', names: dialectNames, page: pageOfDialect },
  command: {
    plural: 'Commands',
    names: Object.keys(commands),
    page: async (name) => renderCommand((await commands[name]!.load()).command),
  },
  error: { plural: 'Errors and notes', names: Object.keys(problems), page: pageOfError },
})

/** What is no member of a table and has a page all the same. */
const topicPages: Readonly<Record<string, () => string>> = { rules: renderRules }

export type Kinds = Readonly<Record<string, Kind>>

export interface Topic {
  kind: string
  name: string
}

/** One word can be several things: `security` is a builtin and a bundle. */
export function findTopics(all: readonly Topic[], word: string): Topic[] {
  const asked = foldName(word.replace(new RegExp(`^${codePrefix}`, 'i'), ''))
  return all.filter(({ name }) => foldName(name) === asked)
}

export const topicsOf = (kinds: Kinds): Topic[] =>
  Object.entries(kinds).flatMap(([kind, { names }]) => names.map((name) => ({ kind, name })))

function pageOfBuiltin(name: string): string {
  return cutSection(documentBuiltins({ [name]: builtins[name]! }), name) ?? ''
}

function pageOfBundle(name: string): string {
  return (cutSection(documentBuiltins(), `Bundle: ${name}`) ?? '').replace(/^#+ Bundle: /, '## ')
}

async function pageOfType(name: string): Promise<string> {
  const executor = await loadExecutor(name)
  await executor.close?.()
  return cutSection(configSections([executor])['run'] ?? '', name) ?? ''
}

function pageOfEffect(name: string): string {
  return `## ${name}\n\n${effects[name as keyof typeof effects].doc}`
}

async function pageOfDialect(name: string): Promise<string> {
  const { about, events } = await loadDialect(name)
  const rows = Object.entries(events).map(([ours, theirs]) => [ours, theirs])
  return [`## ${name}`, about, writeTable(['our event', `called in ${name}`], rows)].join('\n\n')
}

function pageOfError(name: string): string {
  const { message, remedy } = problems[name as Code]
  return [`## ${name}`, message, `What to do: ${remedy}`, '`{name}` stands for a detail.'].join('\n\n')
}

const banner =
  '<!-- Generated from the commands in src/cli by scripts/generate.ts. Change the commands, not this file. -->'

/** docs/cli.md. Pure. */
export function renderReference(all: readonly Command[]): string {
  return `${[
    '# The command line',
    banner,
    'Every command has `--help`. Warnings go to standard error, so that what is printed can be piped. Colours and tables are for terminals only, and `NO_COLOR` turns them off. Exit code 64 is wrong usage everywhere.',
    writeTable(
      ['command', 'what it does'],
      all.map(({ name, summary }) => [`[${name}](#${name})`, summary]),
    ),
    ...all.map(renderCommand),
  ].join('\n\n')}\n`
}

/** One command as a section of it. */
export function renderCommand({ name, summary, usage, doc, options, examples, exits }: Command): string {
  const rows = Object.entries(options).map(([name, option]) => [
    `\`${option.short ? `-${option.short}, ` : ''}--${name}${spelledValue(option)}\``,
    [
      option.doc,
      ...(option.choices ? [`One of ${option.choices.join(', ')}.`] : []),
      ...(option.multiple ? ['May be repeated.'] : []),
    ].join(' '),
  ])
  const codes = Object.entries({ 0: 'Done.', ...exits }).map(([code, means]) => [`\`${code}\``, means])
  return [
    `## ${name}`,
    summary,
    fence(`hookline ${usage}`),
    ...(doc ? [fence(doc)] : []),
    ...(rows.length > 0 ? [writeTable(['option', ''], rows)] : []),
    ...(examples ? ['For example:', fence(examples.join('\n'))] : []),
    writeTable(['exit code', ''], codes),
  ].join('\n\n')
}

const fence = (text: string) => `\`\`\`text\n${text}\n\`\`\``

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
