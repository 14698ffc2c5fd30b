import { basename } from 'node:path'
import { type EventName, eventRow, isRecord, type Outcome, type Ruling } from '../core/index.ts'
import type { Entry } from './entry.ts'
import { readRuns, readRunsBackward, visitLines } from './files.ts'
import { parseOwn, toBody } from './line.ts'

type OneOf<T> = T | readonly T[]

/** All that are given must hold; of a list, one. */
export interface JournalFilter {
  /** Its place in the journal. */
  seq?: OneOf<number>
  session?: OneOf<string>
  event?: OneOf<EventName>
  tool?: OneOf<string>
  /** The agent worked in this directory or below it. */
  within?: OneOf<string>
  /** The name of the agent that raised it. */
  host?: OneOf<string>
  /** The project, by the path of its root or by its name. Entries of before projects were kept: the agent worked there. */
  project?: OneOf<string>
  /** The rule matched. */
  rule?: OneOf<string>
  /** The hook ran. */
  hook?: OneOf<string>
  decision?: OneOf<Ruling>
  outcome?: OneOf<Outcome>
  /** Whether a hook failed. */
  failed?: boolean
  synthetic?: boolean
  /** Not before, and before: any time that `Date` reads. */
  since?: string | Date
  until?: string | Date
}

export interface QueryOptions {
  /** From the last written to the first, without reading what comes before those that are taken. */
  newestFirst?: boolean
  /** Ends after about so many bytes. */
  mostBytes?: number
  /** Gets how many bytes were read, now and then. */
  onRead?(bytes: number): void
}

/**
 * The entries of one or more files that pass a filter, in the order written. It reads and does not judge: what is not
 * an entry is passed over, and `verifyJournal` says whether the rest can be trusted.
 */
export async function* queryJournal(
  files: string | readonly string[],
  filter: JournalFilter = {},
  { newestFirst = false, mostBytes = Number.POSITIVE_INFINITY, onRead }: QueryOptions = {},
): AsyncGenerator<Entry> {
  const passes = entryTest(filter)
  const mayPass = lineTest(filter)
  let left = mostBytes
  const inOrder = typeof files === 'string' ? [files] : files
  for (const file of newestFirst ? inOrder.toReversed() : inOrder) {
    for await (const run of newestFirst ? readRunsBackward(file) : readRuns(file)) {
      const found: Entry[] = []
      visitLines(run, (line) => {
        const entry = mayPass(line) ? parseEntry(line.toString()) : undefined
        if (entry && passes(entry)) found.push(entry)
        return true
      })
      onRead?.(run.length)
      yield* newestFirst ? found.reverse() : found
      left -= run.length
      if (left <= 0) return
    }
  }
}

export function entryTest(filter: JournalFilter): (entry: Entry) => boolean {
  const { failed, synthetic } = filter
  const [seq, session, event, tool, host, rule, hook, decision, outcome] = [
    isOneOf<number | undefined>(filter.seq),
    isOneOf<string | undefined>(filter.session),
    isOneOf(filter.event),
    isOneOf<string | undefined>(filter.tool),
    isOneOf<string | undefined>(filter.host),
    isOneOf(filter.rule),
    isOneOf(filter.hook),
    isOneOf<Ruling | undefined>(filter.decision),
    isOneOf(filter.outcome),
  ]
  const { since, until } = timesOf(filter)
  return (entry) =>
    seq(entry.seq) &&
    session(entry.session_id) &&
    event(entry.event) &&
    tool(entry.tool_name) &&
    (filter.within === undefined || listOf(filter.within).some((directory) => isWithin(entry, directory))) &&
    host(entry.host?.name) &&
    (filter.project === undefined || listOf(filter.project).some((project) => isOfProject(entry, project))) &&
    (filter.rule === undefined || rulesOf(entry).some(rule)) &&
    (filter.hook === undefined || entry.hooks.some(({ id, asked }) => asked && hook(id))) &&
    decision(entry.decision?.ruling) &&
    outcome(entry.outcome) &&
    (failed === undefined || entry.hooks.some(({ failure }) => failure !== undefined) === failed) &&
    (synthetic === undefined || entry.synthetic === synthetic) &&
    (since === undefined || Date.parse(entry.time) >= since) &&
    (until === undefined || Date.parse(entry.time) < until)
}

/** Says no only where the entry would not pass: most lines need not be parsed to be passed over. */
function lineTest(filter: JournalFilter): (line: Buffer) => boolean {
  const wanted = Object.entries({
    session_id: filter.session,
    event: filter.event,
    tool_name: filter.tool,
    id: filter.hook,
  }).flatMap(([key, values]) =>
    values === undefined || listOf(values).length > mostSearches
      ? []
      : [listOf(values).map((value) => Buffer.from(toBody({ [key]: value }).slice(1, -1)))],
  )
  if (filter.within !== undefined)
    // The closing quote is left away: what is below begins the same.
    wanted.push(listOf(filter.within).map((cwd) => Buffer.from(toBody({ cwd }).slice(1, -2))))
  if (filter.host !== undefined)
    wanted.push(listOf(filter.host).map((name) => Buffer.from(toBody({ host: { name } }).slice(1, -2))))
  if (filter.rule !== undefined)
    wanted.push(listOf(filter.rule).map((rule) => Buffer.from(toBody([rule]).slice(1, -1))))
  const seq = isOneOf(filter.seq)
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = timesOf(filter)
  return (line) => {
    const head = ourHead.exec(line.toString('latin1', 0, 256))
    if (!head) return true
    const [, place, kind, time = ''] = head
    if (kind !== 'dispatch' || !seq(Number(place))) return false
    if (Date.parse(time) < since || Date.parse(time) >= until) return false
    return wanted.every((choices) => choices.some((choice) => line.includes(choice)))
  }
}

/** To look for more texts than this costs more than to parse the line. */
const mostSearches = 16

/** As line.ts and file.ts write it; another program may have written it differently. */
const ourHead = /^\{"seq":(\d+),"prev":"[0-9a-f]{64}","kind":"(\w+)",(?:"lost":\d+,)?"time":"([^"]+)"/

/** One line of a journal file, if it is an entry. */
export function parseEntry(line: string): Entry | undefined {
  try {
    const record = parseOwn(line) as DispatchRecord | undefined
    if (record?.kind !== 'dispatch') return undefined
    const { kind: _kind, prev: _prev, hash: _hash, ...entry } = record
    return { ...entry, hooks: entry.hooks ?? [], notes: entry.notes ?? [] }
  } catch {
    return undefined
  }
}

interface DispatchRecord extends Entry {
  kind: string
  prev: string
  hash: string
}

function isWithin({ payload }: Entry, directory: string): boolean {
  const cwd = isRecord(payload) ? payload['cwd'] : undefined
  return typeof cwd === 'string' && (cwd === directory || cwd.startsWith(directory.replace(/[\\/]?$/, '/')))
}

/** All rules that matched, those in shadow mode included. */
export const rulesOf = ({ rules = [], hooks }: Entry): string[] => [
  ...new Set([...rules, ...hooks.flatMap((hook) => hook.rules ?? [])]),
]

function isOfProject(entry: Entry, wanted: string): boolean {
  const isPath = /[\\/]/.test(wanted)
  if (entry.project === undefined) return isPath && isWithin(entry, wanted)
  return isPath ? entry.project === wanted : basename(entry.project) === wanted
}

function timesOf({ since, until }: JournalFilter) {
  return {
    since: since === undefined ? undefined : new Date(since).getTime(),
    until: until === undefined ? undefined : new Date(until).getTime(),
  }
}

const listOf = <T>(values: OneOf<T>): readonly T[] => (Array.isArray(values) ? values : [values as T])

function isOneOf<T>(values: OneOf<T> | undefined): (value: T) => boolean {
  if (values === undefined) return () => true
  const known = new Set(listOf(values))
  return (value) => known.has(value)
}

/**
 * Tool calls that ran although the journal has no decision about them before, or one against them: the entries
 * that say they ran. Needs a journal of all dispatches (`record: 'all'`), hosts that send `tool_use_id`, and memory for one id per call.
 */
export async function* undecidedCalls(files: string | readonly string[]): AsyncGenerator<Entry> {
  const decided = new Set<string>()
  for await (const entry of queryJournal(files)) {
    if (entry.tool_use_id === undefined) continue
    const call = `${entry.session_id ?? ''} ${entry.tool_use_id}`
    const row = eventRow(entry.event)
    if (row.asks && (entry.outcome === 'deny' || entry.outcome === 'halt')) decided.delete(call)
    else if (row.asks) decided.add(call)
    else if ('tool_response' in row.fields && !decided.has(call)) yield entry
  }
}
