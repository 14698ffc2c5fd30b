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
  WireReply,
  WireRequest,
} from '../core/index.ts'
import { HookFailure, isThenable, note, now, outcomeOf } from '../core/index.ts'
import { failureOpinion, failurePolicy, honour } from './honour.ts'
import type { ReadyHook } from './hook-index.ts'
import type { Clock, Slots } from './limits.ts'
import { cancelled, type Limits, withDeadline } from './limits.ts'
import type { RunServices } from './services.ts'
import { withDialectToolNames, withOurToolNames } from './tool-names.ts'

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
  start: number
  report: Report
  notes: Note[]
  /** Begins the path of every copy that runs in place of its original. */
  copies?: string
}

/**
 * The gate: the only place that executes a hook. Trust, slot, deadline, catch, decode, honour, report. It never
 * throws, and whatever goes wrong becomes one typed failure. A hook that answers at once is done at once.
 */
export function run(ready: ReadyHook, event: Event, services: RunServices, cancel?: AbortSignal): Eventually<Ran> {
  const running = begin(ready, event)
  try {
    const reply = execute(running, services, cancel)
    if (!isThenable(reply)) return answered(running, reply)
    return reply.then((given) => answered(running, given)).catch((error: unknown) => failed(running, error))
  } catch (error) {
    return failed(running, error)
  }
}

function begin(ready: ReadyHook, event: Event): Running {
  const { hook } = ready
  const report: Report = { hook: hook.id, stage: hook.stage, asked: true }
  if (hook.mode === 'shadow') report.shadow = true
  if (hook.background) report.background = true
  return { ready, event, start: now(), report, notes: [] }
}

function execute(running: Running, services: RunServices, cancel: AbortSignal | undefined): Eventually<Reply> {
  const { ready, event, report, notes } = running
  const { hook, executor, dialect } = ready
  if (cancel?.aborted) throw cancelled()
  const trust = services.trust(hook, event, dialect, executor)
  if (!trust.trusted) throw new HookFailure('untrusted', trust.detail, trust.remedy)
  if (trust.unchecked) report.unchecked = true
  if (trust.copies) running.copies = trust.copies
  const spec = trust.run ? { ...(ready.spec as object), ...trust.run } : ready.spec
  const limits: Limits = {
    timeoutMs: hook.timeoutMs,
    cancel,
    settleMs: executor.settleMs,
    late: () => services.afterwards(note('hook-late', {}, { hook: hook.id })),
  }
  const work = () =>
    withDeadline(limits, (clock) => {
      const call = new GateCall(ready, event, clock, report, notes)
      if (executor.contained) return executor.run(spec, call)
      return services.nested(event.depth + 1, () => executor.run(spec, call))
    })
  const slots = services.slots.get(executor.type)
  return slots ? inSlot(slots, cancel, work) : work()
}

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

function answered(running: Running, reply: Reply): Ran {
  const { report, copies } = running
  if (reply.kind === 'wire') report.exit = reply.exit
  const read = reply.kind === 'wire' && copies ? { ...reply, stderr: reply.stderr.replaceAll(copies, '') } : reply
  const opinion = understand(running, read)
  report.opinion = opinion
  report.outcome = outcomeOf(opinion)
  return ran(running, opinion)
}

function failed(running: Running, error: unknown): Ran {
  const { ready, report, notes, copies } = running
  const failure = asFailure(copies && error instanceof HookFailure ? ofOriginals(error, copies) : error)
  const opinion = failureOpinion(ready.hook, ready.row, failure)
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

function understand({ ready, event, notes }: Running, reply: Reply): Opinion {
  const { hook, row, dialect } = ready
  let opinion: Opinion
  if (reply.kind === 'opinion') opinion = reply.opinion ?? {}
  else {
    const decoded = dialect.reply.decode(reply, { event: withDialectToolNames(dialect, event), hook })
    if (!decoded.ok) throw asError(decoded.failure)
    for (const each of decoded.notes) notes.push({ ...each, hook: hook.id })
    opinion = withOurToolNames(dialect, event, decoded.opinion)
  }
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
  readonly #ready: ReadyHook
  readonly #clock: Clock
  readonly #report: Report
  readonly #notes: Note[]
  #request: WireRequest | undefined

  constructor(ready: ReadyHook, event: Event, clock: Clock, report: Report, notes: Note[]) {
    this.hook = ready.hook
    this.event = event
    this.#ready = ready
    this.#clock = clock
    this.#report = report
    this.#notes = notes
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

  request(): WireRequest {
    this.#request ??= this.#ready.dialect.event.encode(withDialectToolNames(this.#ready.dialect, this.event), this.hook)
    return this.#request
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
