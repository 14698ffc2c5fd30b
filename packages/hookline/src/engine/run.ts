import type {
  Call,
  DirectReply,
  Event,
  Eventually,
  Failure,
  Hook,
  Note,
  Opinion,
  Report,
  ToolRow,
  Where,
  WireReply,
  WireRequest,
} from '../core/index.ts'
import { HookFailure, isThenable, note, now, outcomeOf, seenFrom, tools, withoutApproval } from '../core/index.ts'
import { combineParts } from './combine.ts'
import { failureOpinion, failurePolicy, honour } from './honour.ts'
import type { ReadyHook } from './hook-index.ts'
import type { Clock, Slots } from './limits.ts'
import { cancelled, type Limits, withDeadline } from './limits.ts'
import type { RunServices } from './services.ts'
import { inOurWords, rejoined, viewsOf } from './tool-names.ts'

export interface Ran {
  ready: ReadyHook
  /** What counts towards the verdict: nothing, for a shadow hook. */
  opinion: Opinion
  report: Report
  notes: Note[]
}

/** One run of one hook, while it goes on. */
interface Running {
  ready: ReadyHook
  event: Event
  /** The event in the words of the hook. */
  view: Event
  start: number
  report: Report
  notes: Note[]
  services: RunServices
  /** Begins the path of every copy that runs in place of its original. */
  copies?: string
  /** Nobody has approved the hook; only what tightens counts of its answer. Whether its words are ours. */
  restricted?: { wordsAreOurs: boolean }
}

/**
 * The gate: the only place that executes a hook. Trust, slot, deadline, catch, decode, honour, report. It never
 * throws, and whatever goes wrong becomes one typed failure. A hook that answers at once is done at once.
 */
export function run(ready: ReadyHook, event: Event, services: RunServices, cancel?: AbortSignal): Eventually<Ran> {
  const { tools: section } = ready.dialect
  if (section === undefined || section.own) return runOnce(ready, event, event, services, cancel)
  let views: readonly Event[]
  try {
    views = viewsOf(ready.dialect, event)
  } catch (error) {
    const ran = failed(begin(ready, event, event, services), error)
    const opinion = refused(ready, event, messageOf(error), services)
    ran.report.opinion = opinion
    return { ...ran, opinion }
  }
  if (views.length === 1) return runOnce(ready, event, views[0]!, services, cancel)
  return runForEach(ready, event, views, services, cancel)
}

function runOnce(
  ready: ReadyHook,
  event: Event,
  view: Event,
  services: RunServices,
  cancel: AbortSignal | undefined,
): Eventually<Ran> {
  const running = begin(ready, event, view, services)
  try {
    const reply = execute(running, services, cancel)
    if (!isThenable(reply)) return answered(running, reply, services)
    return reply.then((given) => answered(running, given, services)).catch((error: unknown) => failed(running, error))
  } catch (error) {
    return failed(running, error)
  }
}

/** One call of ours that is several in the words of the hook: it runs for each, and the strictest answer holds. */
async function runForEach(
  ready: ReadyHook,
  event: Event,
  views: readonly Event[],
  services: RunServices,
  cancel: AbortSignal | undefined,
): Promise<Ran> {
  const all: Ran[] = []
  for (const view of views) all.push(await runOnce(ready, event, view, services, cancel))
  const whole = (opinions: readonly Opinion[]): Opinion => {
    const { rewrite: _each, ...rest } = combineParts(opinions)
    const rewrite = rejoined(ready.dialect, event, opinions)
    return { ...rest, ...(rewrite && { rewrite }) }
  }
  const said = whole(all.map(({ report }) => report.opinion ?? {}))
  const failure = all.find(({ report }) => report.failure)?.report
  const report: Report = {
    ...(failure ?? all.find(({ report }) => report.outcome === outcomeOf(said))?.report ?? all[0]!.report),
    opinion: said,
    durationMs: all.reduce((total, { report }) => total + (report.durationMs ?? 0), 0),
  }
  return { ready, opinion: whole(all.map(({ opinion }) => opinion)), report, notes: all.flatMap(({ notes }) => notes) }
}

/** What cannot be put in the words of a hook is not judged by it, and what was not judged does not pass. */
function refused(
  { hook, row, dialect, executor }: ReadyHook,
  event: Event,
  detail: string,
  services: RunServices,
): Opinion {
  if (hook.mode === 'shadow' || !row.effects.includes('decision')) return {}
  const reason = `Hook "${hook.id}" cannot judge this call: ${detail}.`
  const trust = services.trust(hook, event, dialect, executor)
  const opinion: Opinion = { decision: { ruling: 'deny', reason } }
  return trust.trusted && !trust.restricted ? opinion : withoutApproval(opinion, false, placeOf(hook, event, services))
}

/** Where a hook stands, as whoever reads of it would write it. */
const placeOf = ({ origin }: Hook, { payload }: Event, { home }: Pick<RunServices, 'home'>): Where | undefined =>
  origin.where && seenFrom(origin.where, payload, home)

function begin(ready: ReadyHook, event: Event, view: Event, services: RunServices): Running {
  const { hook } = ready
  const report: Report = { hook: hook.id, stage: hook.stage, asked: true }
  if (hook.mode === 'shadow') report.shadow = true
  if (hook.background) report.background = true
  return { ready, event, view, start: now(), report, notes: [], services }
}

function execute(running: Running, services: RunServices, cancel: AbortSignal | undefined): Eventually<Reply> {
  const { ready, event, view, report, notes } = running
  const { hook, executor, dialect } = ready
  if (cancel?.aborted) throw cancelled()
  const trust = services.trust(hook, event, dialect, executor)
  if (!trust.trusted) throw new HookFailure('untrusted', trust.detail, trust.remedy)
  if (trust.unchecked) report.unchecked = true
  if (trust.copies) running.copies = trust.copies
  const spec = trust.run ? replaced(ready.spec as object, trust.run) : ready.spec
  if (trust.restricted) running.restricted = { wordsAreOurs: executor.ownWords?.(spec, hook) === true }
  const limits: Limits = {
    timeoutMs: hook.timeoutMs,
    cancel,
    settleMs: executor.settleMs,
    late: () => services.afterwards(note('hook-late', {}, { hook: hook.id })),
  }
  const work = () =>
    withDeadline(limits, (clock) => {
      const call = new GateCall(ready, event, view, clock, report, notes, trust.restricted === true)
      if (executor.contained) return executor.run(spec, call)
      return services.nested(event.depth + 1, () => executor.run(spec, call))
    })
  const slots = services.slots.get(executor.type)
  return slots ? inSlot(slots, cancel, work) : work()
}

/** The same spec each time, so that what executors make of it is made once. */
function replaced(spec: object, parts: Readonly<Record<string, unknown>>): object {
  const known = replacements.get(parts)
  if (known?.spec === spec) return known.made
  const made = { ...spec, ...parts }
  replacements.set(parts, { spec, made })
  return made
}
const replacements = new WeakMap<object, { spec: object; made: object }>()

type Reply = WireReply | DirectReply

async function inSlot<T>(slots: Slots, cancel: AbortSignal | undefined, work: () => Eventually<T>): Promise<T> {
  const giveBack = await slots.take(cancel).catch(() => {
    throw cancelled()
  })
  try {
    return await work()
  } finally {
    giveBack()
  }
}

function answered(running: Running, reply: Reply, services: RunServices): Ran {
  const { report, copies } = running
  if (reply.kind === 'wire' && reply.goesOn) letGo(running, reply.stdout, reply.goesOn, services)
  else if (reply.kind === 'wire') report.exit = reply.exit
  else {
    if (reply.rules) report.rules = reply.rules
    if (reply.decidedBy) report.decidedBy = reply.decidedBy
    if (reply.actions) report.actions = reply.actions
  }
  const read = reply.kind === 'wire' && copies ? { ...reply, stderr: reply.stderr.replaceAll(copies, '') } : reply
  const opinion = understand(running, read)
  report.opinion = opinion
  report.outcome = outcomeOf(opinion)
  return ran(running, opinion)
}

/** More, and a timer would end at once. */
const longestTimer = 2_147_483_647

/** Nobody waits for the rest of it; but it has its time like any other, and ends at close at the latest, unless another process takes it over. */
function letGo(
  { ready: { hook, dialect }, start, report }: Running,
  firstLine: string,
  { ended, stop, handOver }: NonNullable<WireReply['goesOn']>,
  services: RunServices,
): void {
  const { forMs = hook.timeoutMs - (now() - start) } = dialect.reply.goesOnAlone?.(firstLine) ?? {}
  const leftMs = Math.max(0, Math.min(forMs, longestTimer))
  report.background = true
  if (services.later && handOver) services.later.process({ ...handOver(), forMs: leftMs })
  else {
    const timer = setTimeout(stop, leftMs)
    services.background(ended.finally(() => clearTimeout(timer)))
  }
}

function failed(running: Running, error: unknown): Ran {
  const { ready, event, report, notes, copies, restricted, services } = running
  const where = placeOf(ready.hook, event, services)
  const failure = asFailure(copies && error instanceof HookFailure ? ofOriginals(error, copies) : error)
  const { refusal } = ready.dialect.reply
  const opinion = failureOpinion(ready.hook, ready.row, failure, {
    restricted: restricted !== undefined,
    refusal,
    ...(where && { where }),
  })
  report.failure = failure
  report.outcome = 'failure'
  report.opinion = opinion
  notes.push(failureNote(ready, failure))
  return ran(running, opinion)
}

function ran({ ready, start, report, notes }: Running, opinion: Opinion): Ran {
  report.durationMs = now() - start
  return { ready, opinion: counted(ready, opinion, notes), report, notes }
}

/** People know the originals, not the copies that run in their place. */
function ofOriginals({ kind, message, remedy }: HookFailure, copies: string): HookFailure {
  return new HookFailure(kind, message.replaceAll(copies, ''), remedy?.replaceAll(copies, ''))
}

function understand({ ready, event, view, notes, restricted, services }: Running, reply: Reply): Opinion {
  const { hook, row, dialect, executor } = ready
  let opinion: Opinion
  if (reply.kind === 'opinion') {
    opinion = reply.opinion ?? {}
    if (executor.readsView) opinion = inOurWords(dialect, event, view, opinion)
  } else {
    const decoded = dialect.reply.decode(reply, { event: view, hook })
    if (!decoded.ok) throw asError(decoded.failure)
    for (const each of decoded.notes) notes.push({ ...each, hook: hook.id })
    opinion = inOurWords(dialect, event, view, decoded.opinion)
  }
  if (restricted) opinion = withoutApproval(opinion, restricted.wordsAreOurs, placeOf(hook, event, services))
  const current = row.rewrites === undefined ? undefined : event.payload[row.rewrites]
  const honoured = honour(event.name, row, opinion, current, hook.id)
  if ('failure' in honoured) throw asError(honoured.failure)
  notes.push(...honoured.notes)
  return honoured.opinion
}

/** A shadow hook is reported like any other, and does not count. */
function counted({ hook }: ReadyHook, opinion: Opinion, notes: Note[]): Opinion {
  if (hook.mode !== 'shadow') return opinion
  if (Object.keys(opinion).length > 0)
    notes.push(note('shadow-would', { opinion: describe(opinion) }, { hook: hook.id }))
  return {}
}

function describe(opinion: Opinion): string {
  const { decision, halt, ...others } = opinion
  const parts = Object.keys(others)
  if (halt) parts.unshift(`halt (${halt.reason})`)
  if (decision) parts.unshift(decision.reason ? `${decision.ruling} (${decision.reason})` : decision.ruling)
  return parts.join(', ')
}

function failureNote({ hook, row }: ReadyHook, failure: Failure): Note {
  const about = { hook: hook.id, ...(hook.origin.where ? { where: hook.origin.where } : {}) }
  const { kind, detail } = failure
  const fix = failure.remedy ?? 'Run the hook by hand with the same payload to see why.'
  if (failurePolicy(hook, row) === 'closed') return note('hook-failed', { kind, detail, fix }, about)
  // A guard that nobody has approved must not look like one that works.
  if (kind === 'untrusted') return note('hook-inactive', { detail, fix }, about)
  return note('hook-warned', { kind, detail }, about)
}

const asError = ({ kind, detail, remedy }: Failure) => new HookFailure(kind, detail, remedy)

function asFailure(error: unknown): Failure {
  if (error instanceof HookFailure)
    return { kind: error.kind, detail: error.message, ...(error.remedy === undefined ? {} : { remedy: error.remedy }) }
  return { kind: 'internal', detail: messageOf(error) }
}

/** Anything can be thrown, and reading it can throw again. */
function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : `threw ${String(error)}`
  } catch {
    return 'threw something unreadable'
  }
}

/** A call as executors see it. A class, because getters on a prototype are free and on an object literal are not. */
export class GateCall implements Call {
  readonly hook: Hook
  readonly event: Event
  readonly unapproved: boolean
  readonly #ready: ReadyHook
  readonly #view: Event
  readonly #clock: Clock
  readonly #report: Report
  readonly #notes: Note[]
  #request: WireRequest | undefined

  constructor(
    ready: ReadyHook,
    event: Event,
    view: Event,
    clock: Clock,
    report: Report,
    notes: Note[],
    unapproved = false,
  ) {
    this.hook = ready.hook
    this.event = event
    this.unapproved = unapproved
    this.#ready = ready
    this.#view = view
    this.#clock = clock
    this.#report = report
    this.#notes = notes
  }

  get view(): Event {
    return this.#view
  }

  get signal(): AbortSignal {
    return this.#clock.signal()
  }

  get aborted(): boolean {
    return this.#clock.aborted()
  }

  remainingMs(): number {
    return this.#clock.remainingMs()
  }

  get redaction(): string | undefined {
    return this.#ready.dialect.redaction
  }

  request(): WireRequest {
    this.#request ??= this.#ready.dialect.event.encode(this.#view, this.hook)
    return this.#request
  }

  get goesOnAlone(): ((firstLine: string) => boolean) | undefined {
    const { goesOnAlone } = this.#ready.dialect.reply
    return goesOnAlone && ((firstLine) => goesOnAlone(firstLine) !== undefined)
  }

  toolRow(name: string): ToolRow | undefined {
    const { tools: declared = {} } = this.#ready
    if (Object.hasOwn(tools, name)) return (tools as Record<string, ToolRow>)[name]
    return Object.hasOwn(declared, name) ? declared[name] : undefined
  }

  note(given: Note): void {
    this.#notes.push({ ...given, hook: this.hook.id })
  }

  measure({ stdin = 0, stdout = 0, stderr = 0 }: { stdin?: number; stdout?: number; stderr?: number }): void {
    const { bytes = { stdin: 0, stdout: 0, stderr: 0 } } = this.#report
    this.#report.bytes = {
      stdin: bytes.stdin + stdin,
      stdout: bytes.stdout + stdout,
      stderr: bytes.stderr + stderr,
    }
  }
}
