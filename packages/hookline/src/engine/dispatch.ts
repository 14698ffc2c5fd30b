import type { Event, EventRow, Eventually, Note, Opinion, Report, SkipReason, Verdict } from '../core/index.ts'
import {
  applyRewrite,
  asFirstRun,
  asRerun,
  eventRow,
  frozenCopy,
  isSilent,
  isThenable,
  note,
  now,
  sameJson,
  skipReasons,
} from '../core/index.ts'
import { type Answer, addAnswer, hasJudged, opinionsInOrder, weighStage } from './answers.ts'
import { combine, rankOf } from './combine.ts'
import type { HookIndex, Plan, PlanEntry, ReadyHook } from './hook-index.ts'
import { plan } from './plan.ts'
import { type Ran, run } from './run.ts'
import type { EngineServices } from './services.ts'

/** Hooks may raise events whose hooks raise events …, this deep. */
const maxDepth = 4

/** How often one hook may run in one dispatch because others rewrote what it had judged. */
const maxRuns = 3

/** One dispatch: plan, run, combine, record. Where no hook runs, the verdict is there at once. */
export function dispatch(
  index: HookIndex,
  raised: Event,
  services: EngineServices,
  cancel?: AbortSignal,
): Eventually<Verdict> {
  const planned = plan(index, raised)
  if (planned.stages.length === 0) return services.record(idle(raised, planned), raised, index, undefined)
  return dispatchPlanned(index, raised, planned, services, cancel)
}

async function dispatchPlanned(
  index: HookIndex,
  raised: Event,
  planned: Plan,
  services: EngineServices,
  cancel: AbortSignal | undefined,
): Promise<Verdict> {
  const start = now()
  const event = { ...raised, payload: frozenCopy(asFirstRun(raised.payload), services.defaults()) }
  const verdict = await decide(index, event, planned, services, cancel)
  return services.record(verdict, event, index, now() - start)
}

/** One dispatch under way. */
interface Progress {
  /** Which hooks match; made anew when a rewrite changes the payload. */
  planned: Plan
  /** The event as hooks have rewritten it so far. */
  event: Event
  answers: Map<ReadyHook, Answer>
  notes: Note[]
  /** The rank of the weakest layer that has rewritten the event. */
  weakestRank: number
  /** Why no further stage runs. */
  ended?: SkipReason
}

/**
 * Runs one stage after the other, and hooks again whose input was rewritten, until every hook has judged the final input.
 * A deny or a halt ends it: later stages do not run, and what the denying stage rewrote is not applied.
 */
async function decide(
  index: HookIndex,
  raised: Event,
  planned: Plan,
  services: EngineServices,
  cancel: AbortSignal | undefined,
): Promise<Verdict> {
  if (raised.depth > maxDepth) return refuseDepth(raised, planned)
  const row = eventRow(raised.name)
  const flagged = services.redos.flagged(row, raised)
  const start = isThenable<Event>(flagged) ? await flagged : flagged
  const progress: Progress = { planned, event: start, answers: new Map(), notes: [], weakestRank: 0 }

  for (let stage = nextStage(progress); stage; stage = nextStage(progress)) {
    endIfNeeded(progress, stage, cancel)
    if (progress.ended) break
    const running = runStage(stage, progress, index, services, cancel)
    const ran = isThenable<readonly Ran[]>(running) ? await running : running
    const { opinion, weakestRank } = weighStage(ran, progress.answers, progress.weakestRank)
    addStage(progress, ran)
    if (opinion.halt || opinion.decision?.ruling === 'deny') {
      progress.ended = 'decided'
      break
    }
    if (!opinion.rewrite) continue
    progress.weakestRank = weakestRank
    rewriteEvent(progress, ran, applyRewrite(judgedValue(progress.event), opinion.rewrite), index)
  }

  const verdict = verdictOf(progress, judgedValue(start))
  if (progress.ended && progress.ended !== 'decided') return failClosed(verdict, row, skipReasons[progress.ended])
  return row.redo ? services.redos.cap(verdict, row.redo, raised) : verdict
}

/** The first stage with hooks that have not judged the event as it is now, reduced to those. */
function nextStage({ planned, answers, event, weakestRank }: Progress): ReadyHook[] | undefined {
  const value = judgedValue(event)
  for (const stage of planned.stages) {
    const open = stage.filter((ready) => {
      const answer = answers.get(ready)
      return !answer || mustRunAgain(ready, answer, value, weakestRank)
    })
    if (open.length > 0) return open
  }
  return undefined
}

/** Hooks of systems that run a hook once run again only when a weaker layer rewrote what they judged. */
function mustRunAgain({ hook }: ReadyHook, answer: Answer, value: unknown, weakestRank: number): boolean {
  if (hook.background || hook.mode !== 'enforce' || hasJudged(answer, value)) return false
  return !hook.judgesOnce || rankOf(hook) < weakestRank
}

function endIfNeeded(progress: Progress, stage: readonly ReadyHook[], cancel: AbortSignal | undefined): void {
  if (cancel?.aborted) progress.ended = 'cancelled'
  else if (stage.some((ready) => (progress.answers.get(ready)?.times ?? 0) >= maxRuns)) {
    const hooks = stage.map((ready) => ready.hook.id).join(', ')
    progress.notes.push(note('rewrite-loop', { hooks, limit: maxRuns }))
    progress.ended = 'recursion'
  }
}

function runStage(
  stage: readonly ReadyHook[],
  { event, answers }: Progress,
  index: HookIndex,
  services: EngineServices,
  cancel: AbortSignal | undefined,
): Eventually<readonly Ran[]> {
  const ran = stage.map((ready) => {
    if (ready.hook.background) return runInBackground(ready, event, index, services)
    const seen = answers.has(ready) ? { ...event, payload: asRerun(event.payload) } : event
    return run(ready, seen, services, cancel)
  })
  return ran.some(isThenable) ? Promise.all(ran) : (ran as Ran[])
}

function addStage({ event, answers, notes }: Progress, ran: readonly Ran[]): void {
  const seen = judgedValue(event)
  for (const each of ran) {
    notes.push(...each.notes)
    addAnswer(answers, each, seen)
  }
}

/** Goes on with the new value. A hook whose own rewrite leads to it has judged it already. */
function rewriteEvent(progress: Progress, ran: readonly Ran[], value: unknown, index: HookIndex): void {
  const { event, answers } = progress
  const field = eventRow(event.name).rewrites
  const seen = judgedValue(event)
  if (field === undefined || sameJson(seen, value)) return
  const next = frozenCopy(value)
  for (const { ready, opinion } of ran)
    if (opinion.rewrite && sameJson(applyRewrite(seen, opinion.rewrite), next)) answers.get(ready)?.judged.push(next)
  progress.event = { ...event, payload: Object.freeze({ ...event.payload, [field]: next }) }
  progress.planned = plan(index, progress.event)
}

/** The value that hooks of this event judge, and may rewrite. */
function judgedValue({ name, payload }: Event): unknown {
  const field = eventRow(name).rewrites
  return field === undefined ? undefined : payload[field]
}

/** The verdict gives a rewrite as the whole final value, whatever steps led to it. */
function verdictOf({ event, answers, planned, notes, ended }: Progress, original: unknown): Verdict {
  const { name, payload } = event
  const reports = planned.entries.map(
    (entry) => answers.get(entry.ready)?.report ?? skippedReport(entry, entry.skipped ? undefined : ended),
  )
  const opinion = combine(opinionsInOrder(answers))
  const value = judgedValue(event)
  if (value === original && isSilent(opinion)) return { event: name, payload, reports, notes }
  const { rewrite: _inSteps, ...rest } = opinion
  const rewrite = value === original ? {} : { rewrite: { mode: 'replace' as const, value } }
  return { event: name, ...rest, ...rewrite, payload, reports, notes }
}

function skippedReport({ ready, skipped }: PlanEntry, ended: SkipReason | undefined): Report {
  const why = skipped ?? (ended && { reason: ended, detail: skipReasons[ended] })
  return { hook: ready.hook.id, stage: ready.hook.stage, asked: false, ...(why ? { skipped: why } : {}) }
}

/** Plans are cached, so the reports of those in which no hook runs are made once. */
const idleReports = new WeakMap<Plan, readonly Report[]>()

function idle(event: Event, planned: Plan): Verdict {
  let reports = idleReports.get(planned)
  if (!reports) {
    reports = planned.entries.map((entry) => skippedReport(entry, undefined))
    idleReports.set(planned, reports)
  }
  return { event: event.name, payload: event.payload, reports, notes: [] }
}

function refuseDepth({ name, payload, depth }: Event, planned: Plan): Verdict {
  const why = note('recursion-limit', { depth })
  const reports = planned.entries.map((entry) => skippedReport(entry, 'recursion'))
  return failClosed({ event: name, payload, reports, notes: [why] }, eventRow(name), why.message)
}

/** Hooks that should have run did not: a guarded event is refused, as it is when a guard fails. */
function failClosed(verdict: Verdict, row: EventRow, why: string): Verdict {
  if (row.failure === 'open') return verdict
  const refusal: Opinion = { decision: { ruling: 'deny', reason: `Not every hook could run: ${why}.` } }
  return { ...verdict, ...combine([verdict.decision ? { decision: verdict.decision } : {}, refusal]) }
}

/** Nobody waits for its answer, and none counts. */
function runInBackground(ready: ReadyHook, event: Event, index: HookIndex, services: EngineServices): Ran {
  const { id, stage } = ready.hook
  if (services.later) services.later.hook(id, event)
  else services.background(runLater(ready, event, index, services))
  return { ready, opinion: {}, notes: [], report: { hook: id, stage, asked: true, background: true } }
}

/** Runs a background hook of a verdict that was given before. */
export async function runLater(
  ready: ReadyHook,
  event: Event,
  index: HookIndex,
  services: EngineServices,
): Promise<void> {
  await reportLate(await run(ready, event, services), event, index, services)
}

/** The verdict was given, and recorded, before this was known: so a failure is reported, and recorded, by itself. */
async function reportLate(ran: Ran, event: Event, index: HookIndex, services: EngineServices): Promise<void> {
  const { opinion: uncounted = {}, ...report } = ran.report
  if (!report.failure) return reportObjection(ran, uncounted, services)
  const { kind, detail, remedy = 'Run the hook by hand with the same payload to see why.' } = report.failure
  const late = note('background-failed', { kind, detail, fix: remedy }, { hook: ran.ready.hook.id })
  services.afterwards(late)
  const verdict: Verdict = { event: event.name, payload: event.payload, reports: [report], notes: [late] }
  await services.record(verdict, event, index, report.durationMs)
}

/** It would have refused, or stopped the run, had somebody waited: a person should know. */
function reportObjection({ ready }: Ran, { decision, halt }: Opinion, services: EngineServices): void {
  const objection = halt ?? (decision?.ruling === 'deny' ? decision : undefined)
  if (objection) services.afterwards(note('background-objected', { reason: objection.reason }, { hook: ready.hook.id }))
}

/** The reports of hooks that do not run at all, because something before them has decided. */
export function skipAll(index: HookIndex, event: Event, reason: SkipReason): Report[] {
  return plan(index, event).entries.map((entry) => skippedReport(entry, reason))
}
