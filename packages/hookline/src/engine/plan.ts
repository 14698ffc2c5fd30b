import type { Event, SkipReason } from '../core/index.ts'
import { skipReasons } from '../core/index.ts'
import type { Book, ReadyHook, Shelf } from './book.ts'
import { inTongueOf } from './tongue.ts'

export interface PlanEntry {
  ready: ReadyHook
  skipped?: { reason: SkipReason; detail: string }
}

/** Which hooks will be asked, in which stages; who is skipped, and why. Entries are in config order. */
export interface Plan {
  entries: readonly PlanEntry[]
  stages: readonly (readonly ReadyHook[])[]
}

/** A plan that holds for every payload with the same short scalars, or the candidates that a single call must look at. */
export type CachedPlan = { whole: Plan } | { candidates: readonly PlanEntry[] }

const nothing: Plan = { entries: [], stages: [] }

/** How many cached plans an event keeps; tool names are few, but a host could make them up. */
const cacheLimit = 1024

export function plan(book: Book, event: Event): Plan {
  const shelf = book.shelves.get(event.name)
  if (!shelf) return nothing
  const cached = cachedPlan(shelf, event)
  return 'whole' in cached ? cached.whole : finish(cached.candidates.map((entry) => judge(entry, event, true)))
}

function cachedPlan(shelf: Shelf, event: Event): CachedPlan {
  const own =
    shelf.keys.length === 1
      ? String(event.payload[shelf.keys[0]!])
      : shelf.keys.map((field) => String(event.payload[field])).join('\0')
  const key = event.host === undefined ? own : `${event.host}\0${own}`
  const known = shelf.plans.get(key)
  if (known) return known
  const candidates = shelf.hooks.map((ready) => judge({ ready }, event, false))
  const fixed = candidates.every((entry) => entry.skipped || !dependsOnCall(entry.ready))
  const made: CachedPlan = fixed ? { whole: finish(candidates) } : { candidates }
  if (shelf.plans.size >= cacheLimit) shelf.plans.clear()
  shelf.plans.set(key, made)
  return made
}

function judge(entry: PlanEntry, event: Event, dynamic: boolean): PlanEntry {
  if (entry.skipped) return entry
  const { hook, tests } = entry.ready
  if (!hook.enabled) return skip(entry.ready, 'disabled')
  if (dynamic && hook.unlessRuled && isRuled(event)) return skip(entry.ready, 'ruled')
  if (dynamic && hook.topLevelOnly && event.payload['sub_agent'] === true) return skip(entry.ready, 'sub-agent')
  if (dynamic && succeeds(entry.ready) && event.payload['tool_error'] === true) return skip(entry.ready, 'failed')
  const theirs = inTongueOf(entry.ready.dialect, event)
  const failed = tests.find(
    (test) =>
      test.dynamic === dynamic && !test.passes(event.payload) && (theirs === event || !test.passes(theirs.payload)),
  )
  return failed ? skip(entry.ready, 'matcher', `${failed.facet} was ${shown(failed.saw(event.payload))}`) : entry
}

/** A rule that wants somebody to be asked has decided nothing. */
function isRuled({ payload }: Event): boolean {
  const rule = payload['permission_rule']
  return rule !== undefined && rule !== 'ask'
}

function dependsOnCall(ready: ReadyHook): boolean {
  const { hook, tests } = ready
  const marked = hook.unlessRuled === true || hook.topLevelOnly === true || succeeds(ready)
  return marked || tests.some((test) => test.dynamic)
}

const succeeds = ({ hook, dialect }: ReadyHook) => dialect.successOnly?.includes(hook.event) === true

function finish(entries: readonly PlanEntry[]): Plan {
  const firstOf = new Map<string, ReadyHook>()
  const unique = entries.map((entry) => {
    if (entry.skipped) return entry
    const first = firstOf.get(entry.ready.identity)
    if (first) return skip(entry.ready, 'duplicate', `the same as "${first.hook.id}"`)
    firstOf.set(entry.ready.identity, entry.ready)
    return entry
  })
  const asked = unique.filter((entry) => !entry.skipped).map((entry) => entry.ready)
  const numbers = [...new Set(asked.map((ready) => ready.hook.stage))].sort((a, b) => a - b)
  return { entries: unique, stages: numbers.map((stage) => asked.filter((ready) => ready.hook.stage === stage)) }
}

function skip(ready: ReadyHook, reason: SkipReason, detail: string = skipReasons[reason]): PlanEntry {
  return { ready, skipped: { reason, detail } }
}

function shown(values: readonly string[]): string {
  if (values.length === 0) return 'absent'
  return values.map((value) => `"${value.length > 80 ? `${value.slice(0, 79)}…` : value}"`).join(', ')
}
