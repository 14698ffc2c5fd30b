import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { stringifyJson } from '../../core/index.ts'
import { type Entry, followJournal, queryJournal } from '../../journal/index.ts'
import { defineCommand, type Invocation, UsageError } from '../command.ts'
import { journalToRead, partsToRead } from '../journal-for.ts'
import { readingOptions } from '../journal-options.ts'
import { filterFrom, filterOptions, newestEntries, readLimit } from '../log/filters.ts'
import { checkpoint, verify, verifyOptions } from '../log/verify.ts'
import { dayOf, entryLine } from '../text/entries.ts'
import { paintFor, widthOf } from '../text/paint.ts'

/** What can stand after `log`. */
const parts: Readonly<Record<string, (invocation: Invocation, words: readonly string[]) => Promise<number>>> = {
  show,
  verify,
  checkpoint,
}

export const command = defineCommand({
  name: 'log',
  summary: 'Show the journal: what hooks decided, and whether the record is intact.',
  usage: 'log [-f] [filters] | log show <id> | log verify [<file>] | log checkpoint [<file>]',
  doc: [
    'One line for each event, the newest last: when, its number, the verdict (allow, ask, deny, halt or none), the event,',
    'what it was about, which hook decided, and how long it took. Without --limit, the last 50.',
    '',
    '`log show` shows everything about one of them, by its number: what each hook answered, which did not run and why, the',
    'payload.',
    '',
    '`log verify` reads the whole journal, rotated files included, and reports whether it is as it was written: the first',
    'line that was changed, removed or moved, since when, and what to do. Lines missing from the end can only be found',
    'with a checkpoint, which `log checkpoint` prints; keep it where the agent cannot write.',
  ].join('\n'),
  options: {
    follow: { short: 'f', doc: 'Keep printing new entries, through rotation too. Ctrl+C ends it.' },
    limit: { value: 'number', doc: 'Only the last so many, or `all`. Default: 50; with --json, all.' },
    ...filterOptions,
    ...readingOptions,
    ...verifyOptions,
    json: { doc: 'One JSON object for each entry, on a line of its own; for show and verify, one object.' },
  },
  choices: Object.keys(parts),
  examples: [
    'hookline log --decision deny --since 2h',
    'hookline log -f --tool shell',
    'hookline log show 1042',
    "hookline log --json --failed | jq -r '.hooks[] | select(.failure) | .id' | sort | uniq -c",
    'hookline log checkpoint > ~/journal.checkpoint',
    'hookline log verify --checkpoint ~/journal.checkpoint',
  ],
  exits: {
    1: 'There is no such entry or file; verify: the journal was changed, cut short or is missing.',
    2: 'verify: all is intact but for a last write that a crash cut short.',
    64: 'Wrong usage.',
  },
  async run(invocation) {
    const [word, ...rest] = invocation.positionals
    if (word === undefined) return list(invocation)
    const part = Object.hasOwn(parts, word) ? parts[word] : undefined
    if (part) return part(invocation, rest)
    if (/^#?\d+$/.test(word)) return show(invocation, [word])
    throw new UsageError(`\`hookline log\` takes ${Object.keys(parts).join(', ')} or nothing, not \`${word}\`.`)
  },
})

async function list(invocation: Invocation): Promise<number> {
  const { values, output, errors } = invocation
  const filter = filterFrom(values)
  const limit = readLimit(values) ?? (values['json'] ? Number.POSITIVE_INFINITY : 50)
  const file = await journalToRead(invocation)
  const print = values['json'] ? printJson(output) : printLines(output)
  // Opened first, so that nothing falls in between; what is found twice is printed once.
  const following = values['follow'] ? await followJournal(file, { filter }) : undefined
  const printed = new Set<string>()
  for await (const entry of newestEntries(partsToRead(file), filter, limit)) {
    await print(entry)
    printed.add(entry.dispatch)
    if (printed.size > 1000) printed.delete(printed.values().next().value!)
  }
  if (printed.size === 0 && !values['json'])
    errors.write(following ? `Waiting for entries in ${file}.\n` : `${nothing(file, Object.keys(filter).length > 0)}\n`)
  if (following) for await (const entry of following) if (!printed.delete(entry.dispatch)) await print(entry)
  return 0
}

async function show(invocation: Invocation, [id, ...rest]: readonly string[]): Promise<number> {
  const { values, output, errors } = invocation
  if (id === undefined || rest.length > 0)
    throw new UsageError('Name one entry by its number: `hookline log show 1042`.')
  const file = await journalToRead(invocation)
  const entry = await find(file, id)
  if (!entry) {
    errors.write(`There is no entry ${id} in ${file}. \`hookline log\` shows the numbers.\n`)
    return 1
  }
  if (values['json']) output.write(`${stringifyJson(entry)}\n`)
  else {
    const { entryInFull } = await import('../text/entries.ts')
    output.write(`${entryInFull(entry, paintFor(output), widthOf(output)).join('\n')}\n`)
  }
  return 0
}

/** By its number in the journal, or by its dispatch or how that begins. */
async function find(file: string, id: string): Promise<Entry | undefined> {
  const [, number] = /^#?(\d+)$/.exec(id) ?? []
  const filter = number === undefined ? {} : { seq: Number(number) }
  for await (const entry of queryJournal(partsToRead(file), filter, { newestFirst: true }))
    if (number !== undefined || entry.dispatch.startsWith(id)) return entry
  return undefined
}

function nothing(file: string, isFiltered: boolean): string {
  if (!existsSync(file)) return `Nothing is recorded yet: there is no journal at ${file}.`
  return isFiltered ? `No entry in ${file} matches.` : `${file} has no entries yet.`
}

type Print = (entry: Entry) => Promise<void>

const printJson =
  (output: Invocation['output']): Print =>
  (entry) =>
    write(output, `${stringifyJson(entry)}\n`)

/** On a terminal, each day is printed once, above its entries. */
function printLines(output: Invocation['output']): Print {
  const [paint, width] = [paintFor(output), widthOf(output)]
  let day: string | undefined
  return (entry) => {
    const own = dayOf(entry.time)
    const heading = output.isTTY && own !== day ? `${paint.bold(own)}\n` : ''
    day = own
    return write(output, `${heading}${entryLine(entry, paint, width)}\n`)
  }
}

/** No faster than it is read: a journal is longer than memory. */
async function write(output: Invocation['output'], text: string): Promise<void> {
  if (!output.write(text)) await once(output, 'drain')
}
