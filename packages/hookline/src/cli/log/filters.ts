import { resolve } from 'node:path'
import { projectDirectories } from '../../config/index.ts'
import { didYouMean, type EventName, eventNames, findEvent, type Outcome } from '../../core/index.ts'
import { dialectNameOf } from '../../hosts/index.ts'
import { type Entry, type JournalFilter, type QueryOptions, queryJournal } from '../../journal/index.ts'
import { homeDirectory, realPath } from '../../platform/index.ts'
import { type Invocation, type Option, text, texts, UsageError } from '../command.ts'

const outcomes = {
  allow: 'allow',
  ask: 'ask',
  deny: 'deny',
  halt: 'halt',
  none: 'no-opinion',
} as const satisfies Record<string, Outcome>

/** Which entries of the journal are meant; for every command that reads it. */
export const filterOptions = {
  session: { value: 'id', multiple: true, doc: 'Only of this session.' },
  hook: { value: 'id', multiple: true, doc: 'Only where this hook ran.' },
  decision: {
    value: Object.keys(outcomes).join('|'),
    multiple: true,
    doc: 'Only with this verdict.',
    choices: Object.keys(outcomes),
  },
  rule: { value: 'id', multiple: true, doc: 'Only where this rule matched.' },
  tool: { value: 'name', multiple: true, doc: 'Only of this tool.' },
  host: { value: 'name', multiple: true, doc: 'Only of this agent, such as `claude`, `codex` or `hookline`.' },
  project: { value: 'name|directory', multiple: true, doc: 'Only of this project: its name, or a directory in it.' },
  event: { value: 'name', multiple: true, doc: 'Only this event; any spelling.', choices: eventNames },
  since: { value: 'time', doc: 'Only since then: `10m`, `2h`, `3d` ago, or `2026-11-01`, `2026-11-01T09:30`.' },
  until: { value: 'time', doc: 'Only before then, written like --since.' },
  failed: { doc: 'Only where a hook failed.' },
  here: { doc: 'Only of this project: where the agent worked in this directory, or elsewhere in its repository.' },
} as const satisfies Record<string, Option>

export function filterFrom(values: Invocation['values'], now = new Date()): JournalFilter {
  const given = <K extends keyof JournalFilter>(key: K, found: readonly string[], read: (value: string) => unknown) =>
    found.length > 0 ? { [key]: found.map(read) } : {}
  const [since, until] = [text(values['since']), text(values['until'])]
  return {
    ...given('session', texts(values['session']), String),
    ...given('hook', texts(values['hook']), String),
    ...given('tool', texts(values['tool']), String),
    // As `hookline hosts` names it, or as the journal does.
    ...given('host', texts(values['host']), dialectNameOf),
    ...given('rule', texts(values['rule']), String),
    ...given('project', texts(values['project']).flatMap(rootsOf), String),
    ...given('event', texts(values['event']), readEvent),
    ...given('outcome', texts(values['decision']), readOutcome),
    ...(since !== undefined && { since: readTime('--since', since, now) }),
    ...(until !== undefined && { until: readTime('--until', until, now) }),
    ...(values['failed'] === true && { failed: true }),
    ...(values['here'] === true && { within: projectAt(process.cwd()) }),
  }
}

/** The root of the project at a directory, by all its names. */
export function projectAt(cwd: string): string[] {
  const root = projectDirectories(resolve(cwd), homeDirectory())[0] ?? resolve(cwd)
  return [...new Set([root, realPath(root)])]
}

/** A name stays a name; a directory is the root of its project, by all its names. */
function rootsOf(project: string): string[] {
  return /^\.{1,2}$|[\\/]/.test(project) ? projectAt(project) : [project]
}

function readEvent(name: string): EventName {
  const event = findEvent(name)
  if (event) return event
  throw new UsageError(`There is no event \`${name}\`.${didYouMean(name, eventNames)}`)
}

function readOutcome(word: string): Outcome {
  if (Object.hasOwn(outcomes, word)) return outcomes[word as keyof typeof outcomes]
  const known = Object.keys(outcomes)
  throw new UsageError(
    `\`--decision\` takes one of ${known.join(', ')}, not \`${word}\`.${didYouMean(word, known)}`.trim(),
  )
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** So long ago, or a date; a day without a time begins at midnight here. */
export function readTime(option: string, written: string, now: Date): Date {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([smhdw])$/.exec(written) ?? []
  if (amount !== undefined && unit !== undefined) return new Date(now.getTime() - Number(amount) * units[unit]! * 1000)
  const date = new Date(/^\d{4}-\d{2}-\d{2}$/.test(written) ? `${written}T00:00` : written)
  if (/^\d{4}-\d{2}-\d{2}/.test(written) && !Number.isNaN(date.getTime())) return date
  throw new UsageError(
    `\`${option}\` takes how long ago, such as \`10m\`, \`2h\`, \`3d\`, or a date, such as \`2026-11-01\`.`,
  )
}

/** How many at most; absent: as the command decides. */
export function readLimit(values: Invocation['values']): number | undefined {
  const written = text(values['limit'])
  if (written === undefined) return undefined
  if (written === 'all') return Number.POSITIVE_INFINITY
  if (/^[1-9]\d*$/.test(written)) return Number(written)
  throw new UsageError('`--limit` takes a number, such as 100, or `all`.')
}

/** The last so many that pass, oldest first: found from the end, unless all are wanted. */
export async function* newestEntries(
  files: readonly string[],
  filter: JournalFilter,
  limit: number,
  options: Pick<QueryOptions, 'onRead'> = {},
): AsyncGenerator<Entry> {
  if (limit === Number.POSITIVE_INFINITY) {
    yield* queryJournal(files, filter, options)
    return
  }
  const found: Entry[] = []
  for await (const entry of queryJournal(files, filter, { ...options, newestFirst: true })) {
    found.push(entry)
    if (found.length >= limit) break
  }
  yield* found.reverse()
}
