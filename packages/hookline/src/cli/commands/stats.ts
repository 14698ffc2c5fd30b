import type { Outcome } from '../../core/index.ts'
import { wholeOf } from '../../dialects/native/index.ts'
import { type JournalFilter, queryJournal } from '../../journal/index.ts'
import { defineCommand, type Invocation, text, UsageError } from '../command.ts'
import { journalToRead, partsToRead, sizeOf } from '../journal-for.ts'
import { readingOptions } from '../journal-options.ts'
import { filterFrom, filterOptions } from '../log/filters.ts'
import { addToGroups, type Group, inOrder, makeGroups } from '../log/groups.ts'
import { count as countIn, makeHistogram, makeTally, type Span, type Tally } from '../log/tally.ts'
import { millis, paintOutcome, wordFor } from '../text/entries.ts'
import { printable } from '../text/inspection.ts'
import { bar, breadth, columns, count, indent, sparkline } from '../text/layout.ts'
import { type Paint, paintFor, widthOf } from '../text/paint.ts'
import { shareOn } from '../text/progress.ts'

/** What the table can be sorted by; the highest comes first. */
const orders: Readonly<Record<string, (tally: Tally) => number>> = {
  runs: ({ asked }) => asked,
  denied: ({ answers }) => answers.deny + answers.halt,
  failures: ({ failures, untrusted, failOpen }) => failures + untrusted + failOpen / 1e6,
  p50: ({ durations }) => durations.at(0.5) ?? 0,
  p99: ({ durations }) => durations.at(0.99) ?? 0,
  last: ({ lastAsked }) => Date.parse(lastAsked) || 0,
}

export const command = defineCommand({
  name: 'stats',
  summary: 'Count how often each hook ran, what it decided, how long it took, and how often it failed.',
  usage: 'stats [filters] [--sort <column>] [--json]',
  doc: [
    'Counted from the journal, in fixed memory. `open` counts failures that stopped nothing: what the hook guards went on',
    'unguarded. `unapproved` counts how often it did not run because it is not approved as it is. Durations are p50 and',
    'p99, within 4 %. The line at the end shows when the hook ran, from the first entry to the last. Below, for each rule how',
    'often it matched and decided, and for each agent and project how many events and what became of them.',
  ].join('\n'),
  options: {
    sort: { value: 'column', doc: 'What to sort by. Default: runs.', choices: Object.keys(orders) },
    ...filterOptions,
    ...readingOptions,
    json: { doc: 'Print one JSON object: from, to, dispatches, verdicts, rules, hosts, projects, hooks.' },
  },
  examples: [
    'hookline stats --since 7d',
    'hookline stats --sort p99 --tool shell',
    'hookline stats --json | jq .hooks',
  ],
  exits: { 1: 'The journal could not be read.', 64: 'Wrong usage.' },
  async run(invocation) {
    const { values, output } = invocation
    const order = orderOf(text(values['sort']) ?? 'runs')
    const filter = filterFrom(values)
    const file = await journalToRead(invocation)
    const all = await tallyAll(file, filter, invocation)
    const hooks = [...all.hooks.values()].sort((one, other) => order(other) - order(one))
    if (values['json']) output.write(`${JSON.stringify(asJson(all, hooks), null, 2)}\n`)
    else output.write(`${show(file, all, hooks, paintFor(output), widthOf(output)).join('\n')}\n`)
    return 0
  },
})

interface All {
  span: Span | undefined
  dispatches: number
  verdicts: Map<Outcome, number>
  durations: ReturnType<typeof makeHistogram>
  hooks: Map<string, Tally>
  groups: ReturnType<typeof makeGroups>
}

async function tallyAll(file: string, filter: JournalFilter, { errors }: Invocation): Promise<All> {
  const parts = partsToRead(file)
  const span = await spanOf(parts, filter)
  const all: All = {
    ...{ span, dispatches: 0, verdicts: new Map(), durations: makeHistogram(), hooks: new Map() },
    groups: makeGroups(),
  }
  if (!span) return all
  const progress = shareOn(errors, 'Counting', sizeOf(parts))
  const only = filter.hook === undefined ? undefined : new Set([filter.hook].flat())
  for await (const entry of queryJournal(parts, filter, { onRead: progress.add })) {
    all.dispatches++
    all.verdicts.set(entry.outcome, (all.verdicts.get(entry.outcome) ?? 0) + 1)
    if (entry.duration_ms !== undefined) all.durations.add(entry.duration_ms)
    addToGroups(all.groups, entry)
    for (const hook of entry.hooks) {
      if (!hook.asked || only?.has(hook.id) === false) continue
      const id = wholeOf(hook.id)
      const tally = all.hooks.get(id) ?? makeTally(id)
      all.hooks.set(id, tally)
      countIn(tally, entry, hook, span)
    }
  }
  progress.end()
  return all
}

/** From the first entry that is meant to the last: both are found without reading what is in between. */
async function spanOf(parts: readonly string[], filter: JournalFilter): Promise<Span | undefined> {
  const timeOf = async (newestFirst: boolean) => {
    for await (const { time } of queryJournal(parts, filter, { newestFirst })) return Date.parse(time)
    return undefined
  }
  const [from, to] = [await timeOf(false), await timeOf(true)]
  return from === undefined || to === undefined ? undefined : { from: Math.min(from, to), to: Math.max(from, to) }
}

/** `asked` is what `runs` was called before. */
function orderOf(written: string): (tally: Tally) => number {
  const name = written === 'asked' ? 'runs' : written
  const order = Object.hasOwn(orders, name) ? orders[name] : undefined
  if (order) return order
  throw new UsageError(`\`--sort\` takes one of ${Object.keys(orders).join(', ')}, not \`${name}\`.`)
}

function show(file: string, all: All, hooks: readonly Tally[], paint: Paint, width: number): string[] {
  if (!all.span) return [`Nothing to count: no entry in ${file} matches.`]
  const [from, to] = [all.span.from, all.span.to].map((time) => localTime(time))
  const highest = Math.max(...all.verdicts.values())
  const verdicts = (['deny', 'halt', 'ask', 'allow', 'no-opinion'] as const).flatMap((outcome) => {
    const number = all.verdicts.get(outcome)
    return number ? [[paintOutcome(outcome, paint), number.toLocaleString('en'), bar(number, highest, 30)]] : []
  })
  const took = all.durations.at(0.5)
  const pace = took === undefined ? '' : `, p50 ${millis(took)}, p99 ${millis(all.durations.at(0.99) ?? 0)}`
  const head = ['hook', 'runs', 'deny', 'ask', 'allow', 'failed', 'open', 'unapproved', 'p50', 'p99', 'when']
  const rows = rightAligned([head.map(paint.dim), ...hooks.map((tally) => row(tally, paint))])
  return [
    `${paint.bold(count(all.dispatches, 'dispatch', 'dispatches'))} from ${from} to ${to}${pace}`,
    ...indent(columns(verdicts), 2),
    '',
    ...columns(rows, width),
    ...groupTable('rule', 'matched', inOrder(all.groups.rules), paint, width),
    ...groupTable('host', 'events', inOrder(all.groups.hosts), paint, width),
    ...groupTable('project', 'events', inOrder(all.groups.projects), paint, width),
    ...openWarning(hooks, paint),
  ]
}

function groupTable(what: string, times: string, groups: readonly Group[], paint: Paint, width: number): string[] {
  if (groups.length === 0) return []
  const number = (value: number) => (value === 0 ? paint.dim('·') : value.toLocaleString('en'))
  const rows = groups.map(({ name, also, times, decided, shadow, last }) => [
    printable([name, ...also].join(' ')) + (shadow > 0 ? paint.dim(` (${shadow} in shadow)`) : ''),
    ...[times, decided.deny, decided.ask, decided.allow].map(number),
    paint.dim(localTime(Date.parse(last))),
  ])
  const head = [what, times, 'deny', 'ask', 'allow', 'last'].map(paint.dim)
  return ['', ...columns(rightAligned([head, ...rows]), width)]
}

/** Numbers under each other by their last digit: all columns but the first and the last. */
function rightAligned(rows: readonly (readonly string[])[]): string[][] {
  const widest = (at: number) => Math.max(...rows.map((cells) => breadth(cells[at] ?? '')))
  return rows.map((cells) =>
    cells.map((cell, at) =>
      at === 0 || at === cells.length - 1 ? cell : `${' '.repeat(widest(at) - breadth(cell))}${cell}`,
    ),
  )
}

function row(tally: Tally, paint: Paint): string[] {
  const { answers, durations } = tally
  const number = (value: number, colour: keyof Paint = 'bold') =>
    value === 0 ? paint.dim('·') : paint[colour](value.toLocaleString('en'))
  const time = (share: number) => {
    const ms = durations.at(share)
    return ms === undefined ? paint.dim('·') : millis(ms)
  }
  return [
    printable(tally.hook) + (tally.shadow > 0 ? paint.dim(' (shadow)') : ''),
    number(tally.asked),
    number(answers.deny + answers.halt, 'red'),
    number(answers.ask, 'yellow'),
    number(answers.allow, 'green'),
    number(tally.failures, 'red'),
    number(tally.failOpen, 'yellow'),
    number(tally.untrusted, 'yellow'),
    time(0.5),
    time(0.99),
    paint.cyan(sparkline(tally.activity)),
  ]
}

function openWarning(hooks: readonly Tally[], paint: Paint): string[] {
  const open = hooks.filter(({ failOpen }) => failOpen > 0)
  if (open.length === 0) return []
  const times = open.reduce((sum, { failOpen }) => sum + failOpen, 0)
  const names = open.map(({ hook }) => printable(hook)).join(', ')
  return [
    '',
    paint.yellow(
      `${count(times, 'failure', 'failures')} stopped nothing (${names}): what these hooks guard went on unguarded.`,
    ),
    '→ See them with `hookline log --failed`; set `on_failure: closed` on hooks that guard something.',
  ]
}

const localTime = (time: number): string => {
  const date = new Date(time)
  return `${date.toLocaleDateString('en-CA')} ${date.toTimeString().slice(0, 5)}`
}

const groupAsJson = (key: string, { name, times, decided, shadow, last }: Group) => ({
  ...{ [key]: name, times, ...decided, shadow, last },
})

function asJson({ span, dispatches, verdicts, durations, groups }: All, hooks: readonly Tally[]) {
  const ms = (value: number | undefined) => (value === undefined ? null : Math.round(value * 1000) / 1000)
  const time = (value: number | undefined) => (value === undefined ? null : new Date(value).toISOString())
  return {
    from: time(span?.from),
    to: time(span?.to),
    dispatches,
    verdicts: Object.fromEntries([...verdicts].map(([outcome, number]) => [wordFor(outcome), number])),
    p50_ms: ms(durations.at(0.5)),
    p99_ms: ms(durations.at(0.99)),
    rules: inOrder(groups.rules).map((group) => groupAsJson('rule', group)),
    hosts: inOrder(groups.hosts).map((group) => ({ ...groupAsJson('host', group), versions: [...group.also] })),
    projects: inOrder(groups.projects).map((group) => groupAsJson('project', group)),
    hooks: hooks.map(({ durations: own, answers, activity, lastAsked, lastFailure, ...tally }) => ({
      hook: tally.hook,
      asked: tally.asked,
      allow: answers.allow,
      ask: answers.ask,
      deny: answers.deny,
      halt: answers.halt,
      none: answers['no-opinion'],
      rewrites: tally.rewrites,
      contexts: tally.contexts,
      failures: tally.failures,
      fail_open: tally.failOpen,
      unapproved: tally.untrusted,
      shadow: tally.shadow,
      p50_ms: ms(own.at(0.5)),
      p99_ms: ms(own.at(0.99)),
      last_asked: lastAsked,
      last_failure: lastFailure ?? null,
      activity,
    })),
  }
}
