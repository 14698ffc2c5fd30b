import { didYouMean } from '../../core/index.ts'
import { type Command, type CommandTable, defineCommand, UsageError } from '../command.ts'
import { columns } from '../text/layout.ts'
import { type Paint, paintFor, widthOf } from '../text/paint.ts'
import { findTopics, type Kinds, showMarkdown, type Topic, topicKinds, topicsOf } from '../text/topics.ts'

/** The commands of this table have pages too. */
export function docsCommand(commands: CommandTable): Command {
  const kinds = topicKinds(commands)
  const all = topicsOf(kinds)
  return defineCommand({
    name: 'docs',
    summary: 'Show the page of an event, builtin, bundle, command, error code, …',
    usage: 'docs [<topic>]',
    doc: [
      'Without a topic, lists all of them. A word that means several things shows them all. Names are read in any case,',
      'with or without underscores. On a terminal the page is laid out for reading; piped, it is Markdown.',
    ].join('\n'),
    options: { json: { doc: 'Print a list of `{kind, name, markdown}`; without a topic, of `{kind, name}`.' } },
    choices: [...new Set(all.map(({ name }) => name))],
    examples: ['hookline docs PreToolUse', 'hookline docs security', 'hookline docs matcher-dead | less'],
    exits: { 64: 'Wrong usage: there is no such topic.' },
    async run({ values, positionals, output }) {
      const [word, more] = positionals
      if (more !== undefined) throw new UsageError(`One topic at a time: \`${word}\` or \`${more}\`.`)
      const topics = word === undefined ? all : findTopics(all, word)
      if (topics.length === 0) throw new UsageError(unknownTopic(word ?? '', all))
      const pages = word === undefined ? [] : await Promise.all(topics.map((topic) => pageOf(topic, kinds)))
      const paint = paintFor(output)
      if (values['json']) output.write(`${JSON.stringify(word === undefined ? topics : pages, null, 2)}\n`)
      else if (word === undefined) output.write(`${overview(kinds, paint, widthOf(output))}\n`)
      else output.write(`${pages.map((page) => show(page, output.isTTY, paint, widthOf(output))).join('\n\n')}\n`)
      return 0
    },
  })
}

type Page = Topic & { markdown: string }

async function pageOf(topic: Topic, kinds: Kinds): Promise<Page> {
  return { ...topic, markdown: await kinds[topic.kind]!.page(topic.name) }
}

function show({ kind, markdown }: Page, readable: boolean, paint: Paint, width: number): string {
  const titled = markdown.replace(/^#+ (.*)$/m, (heading) => `${heading} (${kind})`)
  return readable ? showMarkdown(titled, paint, width) : titled
}

function overview(kinds: Kinds, paint: Paint, width: number): string {
  const rows = Object.values(kinds).map(({ plural, names }) => [paint.bold(plural), names.join(', ')])
  return [...columns(rows, width), '', 'Run `hookline docs <topic>` for one of them.'].join('\n')
}

function unknownTopic(word: string, all: readonly Topic[]): string {
  const names = all.map(({ name }) => name)
  return `There is no page about \`${word}\`.${didYouMean(word, names)}\nRun \`hookline docs\` for the list.`
}
