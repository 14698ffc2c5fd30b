import { type EventName, type Outcome, parseJson, type Ruling } from '../core/index.ts'
import type { Entry } from './entry.ts'
import { readRuns, visitLines } from './read.ts'

/** All that are given must hold. */
export interface JournalFilter {
  session?: string
  event?: EventName
  tool?: string
  /** It was asked. */
  hook?: string
  decision?: Ruling
  outcome?: Outcome
  synthetic?: boolean
  /** Not before, and before: any time that `Date` reads. */
  since?: string | Date
  until?: string | Date
}

/**
 * The entries of one or more files that pass a filter, in the order written. It reads and does not judge: what is not
 * an entry is passed over, and `verifyJournal` tells whether the rest can be believed.
 */
export async function* queryJournal(
  files: string | readonly string[],
  filter: JournalFilter = {},
): AsyncGenerator<Entry> {
  const passes = makeTest(filter)
  for (const file of typeof files === 'string' ? [files] : files) {
    for await (const run of readRuns(file)) {
      const found: Entry[] = []
      visitLines(run, (line) => {
        const entry = parseEntry(line.toString())
        if (entry && passes(entry)) found.push(entry)
        return true
      })
      yield* found
    }
  }
}

function makeTest(filter: JournalFilter): (entry: Entry) => boolean {
  const { session, event, tool, hook, decision, outcome, synthetic } = filter
  const since = filter.since === undefined ? undefined : new Date(filter.since).getTime()
  const until = filter.until === undefined ? undefined : new Date(filter.until).getTime()
  return (entry) =>
    (session === undefined || entry.session_id === session) &&
    (event === undefined || entry.event === event) &&
    (tool === undefined || entry.tool_name === tool) &&
    (hook === undefined || entry.hooks.some(({ id, asked }) => asked && id === hook)) &&
    (decision === undefined || entry.decision?.ruling === decision) &&
    (outcome === undefined || entry.outcome === outcome) &&
    (synthetic === undefined || entry.synthetic === synthetic) &&
    (since === undefined || Date.parse(entry.time) >= since) &&
    (until === undefined || Date.parse(entry.time) < until)
}

function parseEntry(line: string): Entry | undefined {
  const record = parse(line)
  if (record?.kind !== 'dispatch') return undefined
  const { kind: _kind, prev: _prev, hash: _hash, ...entry } = record
  return entry
}

interface DispatchRecord extends Entry {
  kind: string
  prev: string
  hash: string
}

/** Payloads may hold what would be refused from outside, such as a key named twice; that is no reason not to show them. */
function parse(line: string): DispatchRecord | undefined {
  const strict = parseJson(line)
  if (strict.ok) return strict.value as DispatchRecord
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
