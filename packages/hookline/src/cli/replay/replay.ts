import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { eventRow, type Hook, HooklineError, isRecord, type Outcome, sameJson, type Verdict } from '../../core/index.ts'
import { isMadeId } from '../../dialects/native/index.ts'
import { definitionOf, type Hooks } from '../../hooks/index.ts'
import { type Entry, type EntryInput, entryOf, type HookEntry, unclipped, whatIsMissing } from '../../journal/index.ts'
import { type Histogram, isReportedLater, makeHistogram } from '../log/tally.ts'
import { decidedBy } from '../text/entries.ts'
import type { Rehearsal } from './rehearsal.ts'

/** One dispatch whose verdict would change. */
export interface Changed extends Difference {
  entry: Entry
  /** Which hooks decide it now, and why. */
  by: string[]
  /** Which rules of those hooks. */
  rules: string[]
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
  /** How long hooks took that really ran, then and now. */
  durations: Map<string, { before: Histogram; after: Histogram }>
}

export interface ReplayOptions {
  hooks: Hooks
  rehearsal: Rehearsal
  /** Makes of an entry what the journal would keep of it. */
  keep(entry: EntryInput): EntryInput
  /** How many changes of one kind are kept; all are counted. */
  most: number
  /** Called for each entry; what it throws ends the replay. */
  onEntry?(): void
}

/** So many entries are replayed in one go: whoever waits in the same process has their turn in between. */
const inOneGo = 50

/** Raises what the journal has once more, one after the other, and compares. */
export async function replay(entries: AsyncIterable<Entry>, options: ReplayOptions): Promise<Replayed> {
  const { hooks, rehearsal, keep, most, onEntry = () => {} } = options
  let seen = 0
  const definitions = new Map(hooks.hooks.map((hook: Hook) => [hook.id, definitionOf(hook)]))
  const result: Replayed = {
    ...{ replayed: 0, unchanged: 0, doubtful: 0, changed: [] },
    ...{ counts: new Map(), impossible: new Map(), notReplayed: new Map(), durations: new Map() },
  }
  for await (const entry of entries) {
    onEntry()
    if (++seen % inOneGo === 0) await setImmediate()
    if (entry.hooks.some(isReportedLater)) continue
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
function raiseAgain(hooks: Hooks, { event, host }: Entry, payload: Record<string, unknown>): Promise<Verdict> {
  return hooks.raise(event, unclipped(payload) as never, host ? { host } : {})
}

function decidedNow(after: EntryInput): Pick<Changed, 'by' | 'rules' | 'reason'> {
  const by = after.hooks.filter((hook) => !hook.shadow && decidedBy(hook, after))
  const rules = by.flatMap((hook) => hook.rules ?? [])
  return { by: by.map(({ id }) => id), rules, reason: after.halt?.reason ?? after.decision?.reason ?? '' }
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

/** How a verdict can differ from the one on record, most important first. */
export const kinds = {
  blocked: 'newly blocked',
  asked: 'newly asked',
  allowed: 'newly allowed',
  unruled: 'no longer allowed: left to the host',
  rewritten: 'rewritten differently',
  context: 'with other context',
  reason: 'with another reason',
} as const
export type Kind = keyof typeof kinds

export interface Difference {
  kind: Kind
  before: string
  after: string
}

/** From what lets most through to what stops most. */
const strictness: readonly Outcome[] = ['allow', 'no-opinion', 'ask', 'deny', 'halt']

/** What a stricter or milder verdict than before is called, by what it is now. */
const stricter: Partial<Record<Outcome, Kind>> = {
  halt: 'blocked',
  deny: 'blocked',
  ask: 'asked',
  'no-opinion': 'unruled',
}
const milder: Partial<Record<Outcome, Kind>> = { deny: 'blocked', ask: 'asked' }

/**
 * What would have been different; nothing when nothing would. A change of the ruling says all: the rest is compared
 * only where the ruling is the same. Both are as the journal keeps them, secrets removed and long texts clipped.
 */
export function differences(recorded: Entry, replayed: EntryInput): Difference[] {
  const [before, after] = [unclipped(recorded), unclipped(replayed)]
  const [was, is] = [strictness.indexOf(before.outcome), strictness.indexOf(after.outcome)]
  const isCapped = before.notes.some(({ code }) => code === 'redo-cap') && after.outcome === 'deny'
  if (was !== is && !isCapped) {
    const kind = (is > was ? stricter[after.outcome] : milder[after.outcome]) ?? 'allowed'
    return [{ kind, before: before.outcome, after: after.outcome }]
  }
  const found: Difference[] = []
  const compare = (kind: Kind, one: unknown, other: unknown) => {
    if (!sameJson(one, other)) found.push({ kind, before: asText(one), after: asText(other) })
  }
  if (isKept(before)) {
    if (!ranAgain(before)) compare('rewritten', finalOf(before), finalOf({ ...after, payload: before.payload }))
    compare('context', contextOf(withoutAgents(before.hooks, after.hooks)), contextOf(after.hooks))
  }
  if (!isCapped) compare('reason', reasonOf(before), reasonOf(after))
  return found
}

/** What the rewritable field was in the end: what was rewritten to what stood there already shows as no rewrite. */
function finalOf({ event, rewrite, payload }: EntryInput): unknown {
  const field = eventRow(event).rewrites
  return rewrite ? rewrite.value : field !== undefined && isRecord(payload) ? payload[field] : undefined
}

/** Of hooks that ran more than once, the journal has only the last answer: what they rewrote before is not known. */
const ranAgain = ({ rerun, hooks }: EntryInput): boolean => rerun === true || hooks.some(({ times = 1 }) => times > 1)

/** A journal without payloads has no texts to compare. */
const isKept = ({ payload, context = 0, hooks }: EntryInput): boolean =>
  payload !== undefined && (context === 0 || contextOf(hooks).length > 0)

/** An agent has hooks of its own, which no config file names and no id was given: a replay of a config knows nothing of them. */
const withoutAgents = (recorded: readonly HookEntry[], replayed: readonly HookEntry[]): readonly HookEntry[] =>
  recorded.filter(({ id }) => !isMadeId(id) || replayed.some((hook) => hook.id === id))

function contextOf(hooks: readonly HookEntry[]): string[] {
  return hooks.flatMap(({ opinion, shadow }) => (shadow ? [] : (opinion?.context ?? [])))
}

const reasonOf = ({ halt, decision }: EntryInput): string => halt?.reason ?? decision?.reason ?? ''

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
