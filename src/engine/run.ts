import { now } from '../core/clock.ts'
import type { DirectReply, Event, Failure, Note, Opinion, Report, WireReply } from '../core/index.ts'
import { HookFailure, note, outcomeOf } from '../core/index.ts'
import type { ReadyHook } from './book.ts'
import { GateCall } from './call.ts'
import { withDeadline } from './deadline.ts'
import { failureOpinion, failurePolicy } from './failure.ts'
import { honour } from './honour.ts'
import type { Slots } from './slots.ts'
import { fromTongueOf, inTongueOf } from './tongue.ts'

/**
 * Whether a hook may run; `unchecked` when nobody has looked, because somebody vouches for all. `run` replaces parts of what the executor is given, to run the bytes that were looked at and
 * not what has come to stand in their place; `copies` then begins the path of every copy, before that of its original.
 */
export type Trust =
  | { trusted: true; unchecked?: true; run?: Readonly<Record<string, unknown>>; copies?: string }
  | { trusted: false; detail: string; remedy: string }

/** What the gate needs of the world; the composition root provides it. */
export interface GateKeeper {
  /** Whether this exact hook may run for this event, which says where it runs; its dialect says with which variables. */
  trust(hook: ReadyHook['hook'], event: Event, dialect: ReadyHook['dialect']): Trust
  /** Absent: as many at once as asked for. */
  slots: ReadonlyMap<string, Slots>
  /** Runs the work so that events raised inside it are known to be inside a hook. */
  nested<T>(depth: number, work: () => Promise<T>): Promise<T>
  /** Something worth knowing happened after the verdict was given. */
  afterwards(note: Note): void
}

export interface Ran {
  /** What counts towards the verdict: nothing, for a shadow hook. */
  opinion: Opinion
  report: Report
  notes: Note[]
}

/**
 * The gate: the only place that executes a hook. Trust, slot, deadline, catch, decode, honour, report. It never
 * throws, and whatever goes wrong becomes one typed failure.
 */
export async function run(ready: ReadyHook, event: Event, keeper: GateKeeper, cancel?: AbortSignal): Promise<Ran> {
  const { hook, row } = ready
  const notes: Note[] = []
  const report: Report = { hook: hook.id, stage: hook.stage, asked: true }
  if (hook.mode === 'shadow') report.shadow = true
  if (hook.background) report.background = true
  const start = now()
  try {
    const reply = await execute(ready, event, keeper, cancel, notes, report)
    report.opinion = understand(ready, event, reply, notes)
    report.outcome = outcomeOf(report.opinion)
  } catch (error) {
    report.failure = asFailure(error)
    report.outcome = 'failure'
    report.opinion = failureOpinion(hook, row, report.failure)
    notes.push(failureNote(ready, report.failure))
  }
  report.durationMs = now() - start
  return { opinion: counted(ready, report.opinion, notes), report, notes }
}

async function execute(
  ready: ReadyHook,
  event: Event,
  keeper: GateKeeper,
  cancel: AbortSignal | undefined,
  notes: Note[],
  report: Report,
): Promise<WireReply | DirectReply> {
  const { hook, executor, dialect } = ready
  if (cancel?.aborted) throw new HookFailure('aborted', 'the dispatch was cancelled')
  const trust = keeper.trust(hook, event, dialect)
  if (!trust.trusted) throw new HookFailure('untrusted', trust.detail, trust.remedy)
  if (trust.unchecked) report.unchecked = true
  const spec = trust.run ? { ...(ready.spec as object), ...trust.run } : ready.spec
  const slots = keeper.slots.get(executor.type)
  const giveBack = slots ? await takeSlot(slots, cancel) : undefined
  try {
    const limits = {
      timeoutMs: hook.timeoutMs,
      cancel,
      settleMs: executor.settleMs,
      late: () => keeper.afterwards(note('hook-late', {}, { hook: hook.id })),
    }
    const reply = await withDeadline(limits, (clock) => {
      const call = new GateCall(ready, event, clock, report, notes)
      return keeper.nested(event.depth + 1, () => executor.run(spec, call))
    })
    if (reply.kind === 'wire') report.exit = reply.exit
    return reply.kind === 'wire' && trust.copies
      ? { ...reply, stderr: reply.stderr.replaceAll(trust.copies, '') }
      : reply
  } catch (error) {
    throw trust.copies && error instanceof HookFailure ? ofOriginals(error, trust.copies) : error
  } finally {
    giveBack?.()
  }
}

/** People know the originals, not the copies that run in their stead. */
function ofOriginals({ kind, message, remedy }: HookFailure, copies: string): HookFailure {
  return new HookFailure(kind, message.replaceAll(copies, ''), remedy?.replaceAll(copies, ''))
}

function understand(ready: ReadyHook, event: Event, reply: WireReply | DirectReply, notes: Note[]): Opinion {
  const { hook, row, dialect } = ready
  let opinion: Opinion
  if (reply.kind === 'opinion') opinion = reply.opinion ?? {}
  else {
    const decoded = dialect.reply.decode(reply, { event: inTongueOf(dialect, event), hook })
    if (!decoded.ok) throw failed(decoded.failure)
    for (const said of decoded.notes) notes.push({ ...said, hook: hook.id })
    opinion = fromTongueOf(dialect, event, decoded.opinion, row.rewrites)
  }
  const current = row.rewrites === undefined ? undefined : event.payload[row.rewrites]
  const honoured = honour(event.name, row, opinion, current, hook.id)
  if ('failure' in honoured) throw failed(honoured.failure)
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
  // Nobody may take a guard that nobody has approved for one that is at work.
  if (kind === 'untrusted') return note('hook-inactive', { detail, fix }, about)
  return note('hook-warned', { kind, detail }, about)
}

async function takeSlot(slots: Slots, cancel: AbortSignal | undefined): Promise<() => void> {
  try {
    return await slots.take(cancel)
  } catch {
    throw new HookFailure('aborted', 'the dispatch was cancelled')
  }
}

const failed = ({ kind, detail, remedy }: Failure) => new HookFailure(kind, detail, remedy)

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
