import type { Event, SkipReason } from '../core/index.ts'
import { isInferred, isOfFailedCall, isOfSubAgent, isRuled, settingLayers, skipReasons } from '../core/index.ts'
import type { CachedPlan, EventHooks, HookIndex, Plan, PlanEntry, ReadyHook } from './hook-index.ts'
import { seenBy } from './tool-names.ts'

const nothing: Plan = { entries: [], stages: [] }

/** How many cached plans an event keeps; tool names are few, but a host could make them up. */
const cacheLimit = 1024

export function plan(index: HookIndex, event: Event): Plan {
  const eventHooks = index.byEvent.get(event.name)
  if (!eventHooks) return nothing
  const cached = cachedPlan(eventHooks, event)
  return 'whole' in cached ? cached.whole : finish(cached.candidates.map((entry) => judge(entry, event, true)))
}

function cachedPlan({ hooks, keys, plans }: EventHooks, event: Event): CachedPlan {
  const own =
    keys.length === 1 ? String(event.payload[keys[0]!]) : keys.map((field) => String(event.payload[field])).join('\0')
  const key = event.host === undefined ? own : `${event.host}\0${event.original?.tool}\0${own}`
  const known = plans.get(key)
  if (known) return known
  const candidates = hooks.map((ready) => judge({ ready }, event, false))
  const fixed = candidates.every((entry) => entry.skipped || !dependsOnCall(entry.ready))
  const made: CachedPlan = fixed ? { whole: finish(candidates) } : { candidates }
  if (plans.size >= cacheLimit) plans.clear()
  plans.set(key, made)
  return made
}

function judge(entry: PlanEntry, event: Event, dynamic: boolean): PlanEntry {
  if (entry.skipped) return entry
  const { hook, tests, dialect } = entry.ready
  if (!hook.enabled) return skip(entry.ready, 'disabled')
  if (dynamic && hook.unlessRuled && isRuled(event.payload)) return skip(entry.ready, 'ruled')
  if (dynamic && needsQuestion(entry.ready) && isInferred(event.payload)) return skip(entry.ready, 'ruled')
  if (dynamic && hook.topLevelOnly && isOfSubAgent(event.payload)) return skip(entry.ready, 'sub-agent')
  if (dynamic && wantsSuccess(entry.ready) && isOfFailedCall(event.payload)) return skip(entry.ready, 'failed')
  if (tests.length === 0) return entry
  const { payload, seen } = seenBy(dialect, event)
  const failed = tests.find((test) => test.dynamic === dynamic && !test.passes(payload, seen))
  return failed ? skip(entry.ready, 'matcher', `${failed.facet} was ${shown(failed.saw(payload, seen))}`) : entry
}

function dependsOnCall(ready: ReadyHook): boolean {
  const { hook, tests } = ready
  const marked = hook.unlessRuled === true || needsQuestion(ready) || hook.topLevelOnly === true || wantsSuccess(ready)
  return marked || tests.some((test) => test.dynamic)
}

const needsQuestion = ({ hook, row }: ReadyHook) => row.asksPerson && !hook.unlessRuled

const wantsSuccess = ({ hook, dialect }: ReadyHook) => dialect.successOnly?.includes(hook.event) === true

function finish(entries: readonly PlanEntry[]): Plan {
  const kept = new Map<string, ReadyHook>()
  for (const { ready, skipped } of entries) {
    const first = skipped ? ready : kept.get(ready.identity)
    // A file of a project does not take the place of the same hook that the program or the person gave.
    if (!first || (isInProject(first) && !isInProject(ready))) kept.set(ready.identity, ready)
  }
  const unique = entries.map((entry) => {
    const one = entry.skipped ? undefined : kept.get(entry.ready.identity)
    return one === undefined || one === entry.ready
      ? entry
      : skip(entry.ready, 'duplicate', `the same as "${one.hook.id}"`)
  })
  const running = unique.filter((entry) => !entry.skipped).map((entry) => entry.ready)
  const numbers = [...new Set(running.map((ready) => ready.hook.stage))].sort((a, b) => a - b)
  return { entries: unique, stages: numbers.map((stage) => running.filter((ready) => ready.hook.stage === stage)) }
}

const isInProject = ({ hook: { origin } }: ReadyHook): boolean =>
  origin.where !== undefined && !settingLayers.has(origin.layer)

function skip(ready: ReadyHook, reason: SkipReason, detail: string = skipReasons[reason]): PlanEntry {
  return { ready, skipped: { reason, detail } }
}

function shown(values: readonly string[]): string {
  if (values.length === 0) return 'absent'
  return values.map((value) => `"${value.length > 80 ? `${value.slice(0, 79)}…` : value}"`).join(', ')
}
