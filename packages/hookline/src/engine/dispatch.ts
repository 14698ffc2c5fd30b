import { now } from '../core/clock.ts'
import type { Event, EventRow, Eventually, Note, Opinion, Report, SkipReason, Verdict } from '../core/index.ts'
import { applyRewrite, frozenCopy, isSilent, isThenable, note, sameJson, skipReasons } from '../core/index.ts'
import type { Book, ReadyHook } from './book.ts'
import { combine, rankOf } from './combine.ts'
import { combined, type Hearing, hasJudged, hear, inOrder } from './hearings.ts'
import { type Plan, type PlanEntry, plan } from './plan.ts'
import type { RedoCounts } from './redo.ts'
import { type GateKeeper, type Ran, run } from './run.ts'

/** Hooks may raise events whose hooks raise events …, this deep. */
const maxDepth = 4

/** How often one hook may be asked again in one dispatch because others rewrote what it had judged. */
const maxHearings = 3

export interface Keeper extends GateKeeper {
  redos: RedoCounts
  /** What every hook may count on and a host may have left out; made anew each time, to be filled with the rest. */
  defaults(): Record<string, unknown>
  /**
   * Given the verdict and the event as it was asked, frozen, and how long it took; nothing, when nobody was asked. Keeps
   * them in the journal, or lets it be; may replace the verdict when it cannot be kept.
   */
  record(verdict: Verdict, event: Event, book: Book, tookMs: number | undefined): Verdict | Promise<Verdict>
  /** A hook that must not delay anything is handed over, to be awaited on close. */
  background(work: Promise<unknown>): void
}

/** One dispatch: plan, run, combine, record. */
export async function dispatch(book: Book, raised: Event, keeper: Keeper, cancel?: AbortSignal): Promise<Verdict> {
  const planned = plan(book, raised)
  if (planned.stages.length === 0) return keeper.record(idle(raised, planned), raised, book, undefined)
  const start = now()
  const event = { ...raised, payload: frozenCopy(raised.payload, keeper.defaults()) }
  const verdict = await decide(book, event, planned, keeper, cancel)
  return keeper.record(verdict, event, book, now() - start)
}

/**
 * Runs a stage, combines, and again with what was rewritten, until every hook has judged the final input. A deny or
 * a halt ends it: later stages are not asked, and what the denying stage rewrote is not applied.
 */
async function decide(
  book: Book,
  raised: Event,
  firstPlan: Plan,
  keeper: Keeper,
  cancel: AbortSignal | undefined,
): Promise<Verdict> {
  let planned = firstPlan
  const row = planned.entries[0]!.ready.row
  if (raised.depth > maxDepth)
    return refuse(raised, row, planned, 'recursion', note('recursion-limit', { depth: raised.depth }))

  const flagged = keeper.redos.flagged(row, raised)
  let event = isThenable<Event>(flagged) ? await flagged : flagged
  const original = judgedValue(row, event)
  const hearings = new Map<ReadyHook, Hearing>()
  const notes: Note[] = []
  /** The rank of the weakest layer that has had a hand in the value. */
  let writer = 0
  let ended: SkipReason | undefined

  for (
    let stage = nextStage(planned, hearings, original, writer);
    stage;
    stage = nextStage(planned, hearings, judgedValue(row, event), writer)
  ) {
    if (cancel?.aborted) ended = 'cancelled'
    else if (stage.some((ready) => (hearings.get(ready)?.times ?? 0) >= maxHearings)) {
      notes.push(note('rewrite-loop', { hooks: stage.map((ready) => ready.hook.id).join(', '), limit: maxHearings }))
      ended = 'recursion'
    }
    if (ended) break
    const asked = ask(stage, event, book, keeper, cancel)
    const heard = isThenable<readonly Ran[]>(asked) ? await asked : asked
    for (const ran of heard) notes.push(...ran.notes)
    const { said, writer: by } = combined(heard, hearings, writer)
    const seen = judgedValue(row, event)
    for (const ran of heard) hear(hearings, ran, seen)
    if (said.halt || said.decision?.ruling === 'deny') {
      ended = 'decided'
      break
    }
    if (!said.rewrite) continue
    writer = by
    event = rewritten(row, event, applyRewrite(seen, said.rewrite))
    const value = judgedValue(row, event)
    if (value === seen) continue
    for (const { ready, opinion } of heard) {
      const own = opinion.rewrite
      if (own && sameJson(applyRewrite(seen, own), value)) hearings.get(ready)?.judged.push(value)
    }
    planned = plan(book, event)
  }

  const opinion = combine(inOrder(hearings).map((hearing) => hearing.opinion))
  const reports = report(planned, hearings, ended)
  const verdict = verdictOf(event, opinion, original, judgedValue(row, event), reports, notes)
  if (ended && ended !== 'decided') return failClosed(verdict, row, skipReasons[ended])
  return row.redo ? keeper.redos.cap(verdict, row.redo, raised) : verdict
}

/** What hooks wrote one after the other has become the value in the end. */
function verdictOf(
  { name: event, payload }: Event,
  opinion: Opinion,
  original: unknown,
  value: unknown,
  reports: readonly Report[],
  notes: readonly Note[],
): Verdict {
  if (value === original && isSilent(opinion)) return { event, payload, reports, notes }
  const { rewrite: _stale, ...rest } = opinion
  const rewrite = value === original ? {} : { rewrite: { mode: 'replace' as const, value } }
  return { event, ...rest, ...rewrite, payload, reports, notes }
}

/** The first stage in which a hook has not judged this value yet, reduced to those hooks. */
function nextStage(
  planned: Plan,
  hearings: ReadonlyMap<ReadyHook, Hearing>,
  value: unknown,
  writer: number,
): ReadyHook[] | undefined {
  for (const stage of planned.stages) {
    const open = stage.filter((ready) => {
      const hearing = hearings.get(ready)
      if (!hearing) return true
      if (hasJudged(hearing, value) || ready.hook.background || ready.hook.mode !== 'enforce') return false
      return !ready.hook.judgesOnce || rankOf(ready.hook) < writer
    })
    if (open.length > 0) return open
  }
  return undefined
}

function ask(
  stage: readonly ReadyHook[],
  event: Event,
  book: Book,
  keeper: Keeper,
  cancel: AbortSignal | undefined,
): Eventually<readonly Ran[]> {
  const asked = stage.map((ready) =>
    ready.hook.background ? askAside(ready, event, book, keeper) : run(ready, event, keeper, cancel),
  )
  return asked.some(isThenable) ? Promise.all(asked) : (asked as Ran[])
}

/** Nobody waits for its answer, and none counts. */
function askAside(ready: ReadyHook, event: Event, book: Book, keeper: Keeper): Ran {
  const { id, stage } = ready.hook
  const asked = async () => tellLater(await run(ready, event, keeper), event, book, keeper)
  keeper.background(asked())
  return { ready, opinion: {}, notes: [], report: { hook: id, stage, asked: true, background: true } }
}

function rewritten(row: EventRow, event: Event, value: unknown): Event {
  const field = row.rewrites
  if (field === undefined || sameJson(event.payload[field], value)) return event
  return { ...event, payload: Object.freeze({ ...event.payload, [field]: frozenCopy(value) }) }
}

const judgedValue = (row: EventRow, event: Event): unknown =>
  row.rewrites === undefined ? undefined : event.payload[row.rewrites]

function report(planned: Plan, hearings: ReadonlyMap<ReadyHook, Hearing>, ended: SkipReason | undefined): Report[] {
  return planned.entries.map((entry) => {
    const hearing = hearings.get(entry.ready)
    return hearing ? hearing.report : skippedReport(entry, entry.skipped ? undefined : ended)
  })
}

function skippedReport({ ready, skipped }: PlanEntry, ended: SkipReason | undefined): Report {
  const why = skipped ?? (ended && { reason: ended, detail: skipReasons[ended] })
  return { hook: ready.hook.id, stage: ready.hook.stage, asked: false, ...(why ? { skipped: why } : {}) }
}

/** Plans are cached, so the reports of those that ask nobody are made once. */
const idleReports = new WeakMap<Plan, readonly Report[]>()

function idle(event: Event, planned: Plan): Verdict {
  let reports = idleReports.get(planned)
  if (!reports) {
    reports = planned.entries.map((entry) => skippedReport(entry, undefined))
    idleReports.set(planned, reports)
  }
  return { event: event.name, payload: event.payload, reports, notes: [] }
}

function refuse(event: Event, row: EventRow, planned: Plan, reason: SkipReason, why: Note): Verdict {
  const reports = planned.entries.map((entry) => skippedReport(entry, reason))
  return failClosed({ event: event.name, payload: event.payload, reports, notes: [why] }, row, why.message)
}

/** Hooks that should have been asked were not: a guarded event is refused, as it is when a guard fails. */
function failClosed(verdict: Verdict, row: EventRow, why: string): Verdict {
  if (row.failure === 'open') return verdict
  const refusal: Opinion = { decision: { ruling: 'deny', reason: `Not every hook could be asked: ${why}.` } }
  return { ...verdict, ...combine([verdict.decision ? { decision: verdict.decision } : {}, refusal]) }
}

/** The verdict was given, and recorded, before this was known: so a failure is told, and recorded, by itself. */
async function tellLater(ran: Ran, event: Event, book: Book, keeper: Keeper): Promise<void> {
  if (!ran.report.failure) return
  const { opinion: _unheard, ...report } = ran.report
  const said = backgroundNote(ran)
  keeper.afterwards(said)
  await keeper.record(
    { event: event.name, payload: event.payload, reports: [report], notes: [said] },
    event,
    book,
    report.durationMs,
  )
}

function backgroundNote({ ready: { hook }, report: { failure } }: Ran): Note {
  const { kind = 'internal', detail = '', remedy } = failure ?? {}
  return note(
    'background-failed',
    { kind, detail, fix: remedy ?? 'Run the hook by hand with the same payload to see why.' },
    { hook: hook.id },
  )
}

/** The reports of hooks that are not asked at all, because something before them has decided. */
export function skipAll(book: Book, event: Event, reason: SkipReason): Report[] {
  return plan(book, event).entries.map((entry) => skippedReport(entry, reason))
}
