import { existsSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { bundles } from '../../builtins/bundles/index.ts'
import { builtins } from '../../builtins/index.ts'
import { didYouMean, eventNames, findEvent, HooklineError, isRecord, parseJson } from '../../core/index.ts'
import { stateDirectory } from '../../platform/index.ts'
import { quoteWord } from '../../shell/index.ts'
import { defineCommand, type Invocation, text, UsageError } from '../command.ts'
import { workingDirectory } from '../configured.ts'
import { approveNow, editorFor, hooksOf, unapproved, writeWhole } from '../edit/save.ts'
import { type Target, targetOf, targetOptions } from '../edit/target.ts'
import { isPerson, requirePerson } from '../person.ts'
import { isWaiting, showInspection } from '../text/inspection.ts'
import { columns } from '../text/layout.ts'
import { type Paint, paintFor, widthOf } from '../text/paint.ts'

/** Something ready-made that a config can have. */
interface Offer {
  number: number
  kind: 'bundle' | 'builtin'
  name: string
  doc: string
  /** Where a builtin can be used; the first is where it usually is. */
  events: readonly string[]
}

/** Bundles first: they are what most people want. */
const catalogue: readonly Offer[] = [
  ...Object.values(bundles).map(({ name, doc }) => ({ kind: 'bundle' as const, name, doc, events: [] })),
  ...Object.values(builtins).map(({ name, doc, events }) => ({ kind: 'builtin' as const, name, doc, events })),
].map((offer, at) => ({ number: at + 1, ...offer }))

/** By name or number. A name that is both means the bundle. */
function findOffer(word: string): Offer | undefined {
  return catalogue.find(({ number, name }) => String(number) === word || name === word)
}

function showCatalogue(paint: Paint, width: number): string[] {
  const rows = catalogue.map(({ number, kind, name, doc }) => [
    String(number),
    name,
    paint.dim(kind),
    doc.split('\n')[0]!,
  ])
  return columns(rows, width)
}

export const command = defineCommand({
  name: 'add',
  summary: 'Add something ready-made to your config: a bundle, a builtin, or a script of yours.',
  usage: 'add [<name>|<number>|<script>] [--event <name>] [--tool <name>] [--user|--local]',
  doc: [
    'Without a name, lists everything, numbered; on a terminal it asks which. Everything else in the file stays as it is,',
    'comments included. The file is created if needed. On a terminal you see what would run, and approve it.',
  ].join('\n'),
  options: {
    event: {
      value: 'name',
      doc: 'The event at which the builtin or script runs. Default: its usual event; for a script, pre_tool_use.',
      choices: eventNames,
    },
    tool: { value: 'name', doc: 'Only for this tool: a name, several as `a|b`, or a regex.' },
    id: { value: 'id', doc: 'What to call the hook. Default: its name.' },
    args: { value: 'json', doc: 'Arguments of a builtin, or parameters of a bundle, as one JSON object.' },
    ...targetOptions,
    json: { doc: 'Print `{file, id, hooks, approved}`; without a name, the list.' },
  },
  choices: [...new Set(catalogue.map(({ name }) => name))],
  examples: [
    'hookline add',
    'hookline add security',
    'hookline add 7 --user',
    'hookline add ./hooks/no-push.sh --tool shell',
  ],
  exits: { 1: 'It could not be added; nothing was written.', 64: 'Wrong usage.' },
  async run(invocation) {
    const { values, positionals, input, output, errors } = invocation
    const [given, more] = positionals
    if (more !== undefined) throw new UsageError('One at a time.')
    const word = given ?? (await choose(invocation))
    if (word === undefined) return 0
    const target = targetOf(values)
    const { key, value, comment, id } = entryOf(word, values)
    const before = target.exists ? readFileSync(target.file, 'utf8') : 'version: 1\n'
    const already = target.exists ? await hooksOf(target, before) : []
    if (already.some((hook) => isPart(hook.id, id))) throw new UsageError(`${target.file} has \`${id}\` already.`)
    const after = editorFor(target.file).append(before, key, value, comment)
    const hooks = (await hooksOf(target, after)).filter((hook) => isPart(hook.id, id))
    await writeWhole(target.file, after)
    const approved = isPerson(input, errors) && (await offerApproval(target, id, invocation))
    if (values['json'])
      output.write(`${JSON.stringify({ file: target.file, id, hooks: hooks.map((hook) => hook.id), approved })}\n`)
    else {
      const paint = paintFor(output)
      output.write(`${paint.green('✔')} Added ${paint.bold(id)} to ${target.file}.\n`)
      if (!approved) output.write(await adviceFor(target, id, invocation))
    }
    return 0
  },
})

/** The list, and on a terminal the question. */
async function choose({ values, input, output, errors }: Invocation): Promise<string | undefined> {
  if (values['json']) {
    output.write(`${JSON.stringify(catalogue, null, 2)}\n`)
    return undefined
  }
  output.write(`${showCatalogue(paintFor(output), widthOf(output)).join('\n')}\n`)
  if (!isPerson(input, errors)) return undefined
  const { isCancel, text: ask } = await import('@clack/prompts')
  const answer = await ask({
    message: 'Which one? A number or a name; nothing for none.',
    validate: (typed) => (!typed || findOffer(typed.trim()) ? undefined : `There is no \`${typed}\` in the list.`),
  })
  return isCancel(answer) || !answer ? undefined : answer.trim()
}

interface Entry {
  key: 'use' | 'hooks'
  value: unknown
  comment?: string
  id: string
}

function entryOf(word: string, values: Invocation['values']): Entry {
  const offer = findOffer(word)
  const args = readArgs(text(values['args']))
  if (offer?.kind === 'bundle') {
    if (values['event'] ?? values['tool'] ?? values['id'])
      throw new UsageError('A bundle brings its own events, tools and ids; `--args` are its parameters.')
    return {
      key: 'use',
      value: args ? { bundle: offer.name, with: args } : offer.name,
      comment: firstLine(offer.doc),
      id: offer.name,
    }
  }
  const path = resolve(workingDirectory(values), word)
  if (!offer && !(existsSync(path) && statSync(path).isFile())) throw new UsageError(unknown(word))
  const id = text(values['id']) ?? (offer ? offer.name.replaceAll('_', '-') : scriptId(word))
  const tool = text(values['tool'])
  const value = {
    id,
    event: eventFor(offer, text(values['event'])),
    ...(tool !== undefined && { matcher: { tool } }),
    run: offer
      ? { type: 'builtin', name: offer.name, ...(args && { args }) }
      : { type: 'command', command: quoted(word) },
  }
  return { key: 'hooks', value, id, ...(offer && { comment: firstLine(offer.doc) }) }
}

function eventFor(offer: Offer | undefined, wanted: string | undefined): string {
  const event = wanted === undefined ? (offer?.events[0] ?? 'pre_tool_use') : findEvent(wanted)
  if (event === undefined)
    throw new UsageError(`There is no event \`${wanted}\`.${didYouMean(wanted ?? '', eventNames)}`)
  return event
}

function readArgs(source: string | undefined): Record<string, unknown> | undefined {
  if (source === undefined) return undefined
  const parsed = parseJson(source)
  if (!parsed.ok || !isRecord(parsed.value)) throw new UsageError('`--args` must be one JSON object.')
  return parsed.value
}

/** Shows exactly what would run, and asks. */
async function offerApproval(target: Target, id: string, invocation: Invocation): Promise<boolean> {
  const { values, output, errors } = invocation
  const open = await unapproved(target, workingDirectory(values), (hook) => isPart(hook.id, id))
  if (open.length === 0) return true
  const screen = values['json'] || !output.isTTY ? errors : output
  for (const each of open) screen.write(`${showInspection(each, paintFor(screen), widthOf(screen)).join('\n')}\n\n`)
  const { confirm } = await import('@clack/prompts')
  if ((await confirm({ message: 'Approve it, exactly as it is?', initialValue: false, output: screen })) !== true)
    return false
  try {
    await requirePerson({ ...invocation, values: {} }, stateDirectory())
  } catch (error) {
    if (!(error instanceof HooklineError)) throw error
    // It is added all the same, and waits.
    errors.write(`${error.message}\n`)
    return false
  }
  await approveNow(open)
  return true
}

/** What only tightens holds in a project without anybody's approval. */
async function adviceFor(target: Target, id: string, { values }: Invocation): Promise<string> {
  const open = await unapproved(target, workingDirectory(values), (hook) => isPart(hook.id, id))
  return open.some(isWaiting)
    ? 'It runs once you approve it: `hookline approve`.\n'
    : 'It only tightens, so it holds at once.\n'
}

/** A hook of its own, or one of a bundle. */
const isPart = (hook: string, id: string): boolean => hook === id || hook.startsWith(`${id}:`)
const firstLine = (doc: string): string => doc.split('\n')[0]!
const scriptId = (path: string): string =>
  path
    .replace(/^.*[\\/]/, '')
    .replace(/\.\w+$/, '')
    .replace(/[^\w.-]+/g, '-') || 'script'

/** As the shell wants it: a path with a directory, quoted where it must be. */
function quoted(word: string): string {
  const path = /[\\/]/.test(word) ? word : `./${word}`
  return quoteWord(path)
}

function unknown(word: string): string {
  const names = catalogue.map(({ name }) => name)
  return `There is no bundle, builtin or file \`${word}\`.${didYouMean(word, names)} \`hookline add\` lists them.`
}
