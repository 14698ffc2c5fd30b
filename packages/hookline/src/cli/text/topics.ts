import { bundles } from '../../builtins/bundles/index.ts'
import { documentBuiltins } from '../../builtins/document.ts'
import { builtins } from '../../builtins/index.ts'
import { configSections, renderEvents } from '../../config/document.ts'
import { type Bundle, type Code, effects, eventNames, foldName, problems, type Run } from '../../core/index.ts'
import { dialectNames, loadDialect } from '../../dialects/index.ts'
import { describeRun, executorTypes, loadExecutor } from '../../executors/index.ts'
import { commands } from '../commands/index.ts'
import { cutSection, writeTable } from './markdown.ts'
import { renderCommand } from './reference.ts'

interface Kind {
  plural: string
  names: readonly string[]
  /** The page of one of these names, as Markdown. */
  page(name: string): string | Promise<string>
}

/** Everything that has a page, by kind. One line each; the words come from the tables. */
export const kinds: Readonly<Record<string, Kind>> = {
  event: { plural: 'Events', names: eventNames, page: (name) => cutSection(renderEvents(), name) ?? '' },
  builtin: { plural: 'Builtins', names: Object.keys(builtins), page: pageOfBuiltin },
  bundle: { plural: 'Bundles', names: Object.keys(bundles), page: (name) => pageOfBundle(bundles[name]!) },
  type: { plural: 'Types of hook', names: executorTypes, page: pageOfType },
  effect: { plural: 'Effects', names: Object.keys(effects), page: pageOfEffect },
  dialect: { plural: 'Dialects', names: dialectNames, page: pageOfDialect },
  command: { plural: 'Commands', names: Object.keys(commands), page: pageOfCommand },
  error: { plural: 'Errors and notes', names: Object.keys(problems), page: pageOfError },
}

export interface Topic {
  kind: string
  name: string
}

/** One word can be several things: `security` is a builtin and a bundle. */
export function findTopics(word: string): Topic[] {
  return allTopics().filter(({ name }) => foldName(name) === foldName(word))
}

export const allTopics = (): Topic[] =>
  Object.entries(kinds).flatMap(([kind, { names }]) => names.map((name) => ({ kind, name })))

function pageOfBuiltin(name: string): string {
  return cutSection(documentBuiltins({ [name]: builtins[name]! }), name) ?? ''
}

function pageOfBundle({ name, doc, parameters, hooks }: Bundle): string {
  const rows = Object.entries(parameters).map(([key, { doc, default: chosen }]) => [
    `\`${key}\``,
    chosen === undefined ? '' : `\`${JSON.stringify(chosen)}\``,
    doc,
  ])
  return [
    `## ${name}`,
    doc,
    ...(rows.length > 0 ? [writeTable(['parameter', 'default', ''], rows)] : ['It has no parameters.']),
    writeTable(
      ['hook', 'event', 'runs'],
      hooks.map((hook) => [`\`${name}:${hook.id}\``, hook.event, describeRun(hook.run as Run)]),
    ),
    `\`\`\`yaml\nversion: 1\nuse: [${name}]\n\`\`\``,
  ].join('\n\n')
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

async function pageOfCommand(name: string): Promise<string> {
  return renderCommand((await commands[name]!.load()).command)
}

function pageOfError(name: string): string {
  const { message, remedy } = problems[name as Code]
  return [`## ${name}`, message, `What to do: ${remedy}`, '`{name}` stands for a detail.'].join('\n\n')
}
