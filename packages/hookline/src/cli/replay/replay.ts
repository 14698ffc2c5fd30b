import { randomUUID } from 'node:crypto'
import { type Hook, HooklineError, isRecord, type Verdict } from '../../core/index.ts'
import type { Hooks } from '../../hooks/index.ts'
import { definitionOf } from '../../hooks/index.ts'
import { type Entry, type EntryInput, entryOf, unclipped, whatIsMissing } from '../../journal/index.ts'
import { type Histogram, isToldLater, makeHistogram } from '../log/tally.ts'
import { decidedBy } from '../text/entries.ts'
import { type Difference, differences, type Kind } from './compare.ts'
import type { Rehearsal } from './rehearsal.ts'

/** One dispatch that would have gone otherwise. */
export interface Changed extends Difference {
  entry: Entry
  /** Who decides it now, and says what. */
  by: string[]
  reason: string
  /** What is not known of it, so that the answer may differ from what it would be. */
  doubts: string[]
}

export interface Replayed {
  from?: string
  to?: string
  replayed: number
  unchanged: number
  counts: Map<Kind, number>
  changed: Changed[]
  /** Entries whose payload is not there to be raised again, and what could not be raised, by why. */
  impossible: Map<string, number>
  /** Unchanged entries with secrets removed or texts clipped: they might have changed. */
  doubtful: number
  /** Hooks that were not replayed, and how often. */
  notReplayed: Map<string, number>
  /** How long hooks took that were really asked, then and now. */
  durations: Map<string, { before: Histogram; after: Histogram }>
}

export interface ReplayOptions {
  hooks: Hooks
  rehearsal: Rehearsal
  /** Makes of an entry what the journal would keep of it. */
  keep(entry: EntryInput): EntryInput
  /** How many changes of one kind are kept; all are counted. */
  most: number
}

/** Raises what the journal has once more, one after the other, and compares. */
export async function replay(entries: AsyncIterable<Entry>, options: ReplayOptions): Promise<Replayed> {
  const { hooks, rehearsal, keep, most } = options
  const definitions = new Map(hooks.hooks.map((hook: Hook) => [hook.id, definitionOf(hook)]))
  const result: Replayed = {
    ...{ replayed: 0, unchanged: 0, doubtful: 0, changed: [] },
    ...{ counts: new Map(), impossible: new Map(), notReplayed: new Map(), durations: new Map() },
  }
  for await (const entry of entries) {
    if (entry.hooks.some(isToldLater)) continue
    result.from ??= entry.time
    result.to = entry.time
    const missing = whatIsMissing(entry.payload)
    if (!isRecord(entry.payload) || missing.some((what) => what.includes('kept'))) {
      add(result.impossible, missing[0] ?? 'the payload is not an object')
      continue
    }
    rehearsal.about(entry)
    const verdict = await raiseAgain(hooks, entry, entry.payload).catch((error: unknown) => problemOf(error))
    if (typeof verdict === 'string') {
      add(result.impossible, verdict)
      continue
    }
    result.replayed++
    const sources = rehearsal.sources()
    const skipped = [...sources].filter(([, source]) => source === 'not-replayed').map(([id]) => id)
    for (const id of skipped) add(result.notReplayed, id)
    measure(result, entry, verdict, sources)
    const extra = { ...pick(entry), dispatch: randomUUID(), definitionOf: (id: string) => definitions.get(id) }
    const after = keep(entryOf(verdict, { ...extra, payload: entry.payload }))
    const found = differences(entry, after)
    // Nothing that another hook says could undo a deny.
    const isFinal = after.outcome === 'deny' || after.outcome === 'halt'
    const doubts = [...missing, ...(isFinal ? [] : skipped.map((id) => `${id} was not replayed`))]
    if (found.length === 0) {
      result.unchanged++
      if (missing.length > 0) result.doubtful++
    }
    for (const difference of found) {
      const known = add(result.counts, difference.kind)
      if (known <= most) result.changed.push({ ...difference, entry, ...decidedNow(after), doubts })
    }
  }
  return result
}

const pick = ({ time, generation, synthetic }: Entry) => ({ time, generation, synthetic })

/** As it was raised then; a text of which only the beginning is known is that. */
function raiseAgain(hooks: Hooks, { event }: Entry, payload: Record<string, unknown>): Promise<Verdict> {
  return hooks.raise(event, unclipped(payload) as never)
}

function decidedNow(after: EntryInput): Pick<Changed, 'by' | 'reason'> {
  const by = after.hooks.filter((hook) => !hook.shadow && decidedBy(hook, after))
  return { by: by.map(({ id }) => id), reason: after.halt?.reason ?? after.decision?.reason ?? '' }
}

function measure(result: Replayed, entry: Entry, verdict: Verdict, sources: ReturnType<Rehearsal['sources']>): void {
  for (const { hook, durationMs } of verdict.reports) {
    const before = entry.hooks.find(({ id }) => id === hook)?.duration_ms
    const source = sources.get(hook)
    if (durationMs === undefined || before === undefined || (source !== 'ran' && source !== 'answered')) continue
    const known = result.durations.get(hook) ?? { before: makeHistogram(), after: makeHistogram() }
    result.durations.set(hook, known)
    known.before.add(before)
    known.after.add(durationMs)
  }
}

function add<K>(counts: Map<K, number>, key: K): number {
  const count = (counts.get(key) ?? 0) + 1
  counts.set(key, count)
  return count
}

function problemOf(error: unknown): string {
  if (error instanceof HooklineError && error.notes[0]) return error.notes[0].message
  throw error
}
