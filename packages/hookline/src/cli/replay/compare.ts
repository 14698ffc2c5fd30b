import { eventRow, isRecord, type Outcome, sameJson } from '../../core/index.ts'
import { type Entry, type EntryInput, type HookEntry, unclipped } from '../../journal/index.ts'

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
 * What would have been different; nothing when nothing would. A change of the ruling says all: what comes with it is told
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
  const told = (kind: Kind, one: unknown, other: unknown) => {
    if (!sameJson(one, other)) found.push({ kind, before: asText(one), after: asText(other) })
  }
  if (isKept(before)) {
    if (!wasAskedAgain(before)) told('rewritten', finalOf(before), finalOf({ ...after, payload: before.payload }))
    told('context', contextOf(before.hooks), contextOf(after.hooks))
  }
  if (!isCapped) told('reason', reasonOf(before), reasonOf(after))
  return found
}

/** What the rewritable field was in the end: what was rewritten to what stood there already shows as no rewrite. */
function finalOf({ event, rewrite, payload }: EntryInput): unknown {
  const field = eventRow(event).rewrites
  return rewrite ? rewrite.value : field !== undefined && isRecord(payload) ? payload[field] : undefined
}

/** Of hooks that were asked more than once, the journal has only the last answer: what they rewrote before is not known. */
const wasAskedAgain = ({ hooks }: EntryInput): boolean => hooks.some(({ times = 1 }) => times > 1)

/** A journal without payloads has no texts to compare. */
const isKept = ({ payload, context = 0, hooks }: EntryInput): boolean =>
  payload !== undefined && (context === 0 || contextOf(hooks).length > 0)

function contextOf(hooks: readonly HookEntry[]): string[] {
  return hooks.flatMap(({ opinion, shadow }) => (shadow ? [] : (opinion?.context ?? [])))
}

const reasonOf = ({ halt, decision }: EntryInput): string => halt?.reason ?? decision?.reason ?? ''

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
