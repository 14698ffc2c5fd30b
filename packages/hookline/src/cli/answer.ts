import { isPartlyBroken } from '../config/index.ts'
import {
  eventNamed,
  eventRow,
  formatNote,
  forPerson,
  HooklineError,
  type Note,
  note,
  placeIn,
  type StateStore,
  type Verdict,
  type WireReply,
} from '../core/index.ts'
import { ourDialects } from '../dialects/index.ts'
import type { Hooks } from '../hooks/index.ts'
import { dialectNameOf, dialectOfHost, hostOf } from '../hosts/index.ts'
import { callerEnvironment } from '../platform/index.ts'
import type { Approver } from '../trust/index.ts'
import { announceOnce } from './announce.ts'
import { type Asking, isAttended, settleQuestion } from './hosts/question.ts'

/** One event of a host, as a process of its own or the daemon gets it. */
export interface HostEvent {
  /** Whose payload it is. */
  dialect: string
  payload: Record<string, unknown>
  /** The event, if the payload does not name it. */
  named: string | undefined
  /** Undefined: whoever started it trusts everything. */
  approver: Approver | undefined
  state: StateStore
  cwd: string
  off(): Note | undefined
  /** Somebody named the config files: they are not found by themselves. */
  namesFiles: boolean
  /** Where questions wait that the host cannot ask. Absent: they are refused. */
  asking?: Asking
}

/** The verdict, and what waits for approval, once a session. */
export interface Raised {
  verdict: Verdict
  waiting?: Note
}

export async function raiseFor(hooks: Hooks, about: HostEvent): Promise<Raised> {
  const { dialect, payload, named, approver, state, cwd, off, namesFiles, asking } = about
  const theirs = await dialectOfHost(dialect, ourDialects)
  const version = theirs.hostVersion?.(callerEnvironment(), payload)
  const raised = await hooks.raiseAs(dialect, payload, {
    ...(named === undefined ? {} : { event: named }),
    ...(version === undefined ? {} : { host: { version } }),
    ...(asking && isAttended(asking) && { waits: true }),
  })
  const host = { name: dialectNameOf(dialect), ...(version !== undefined && { version }) }
  const verdict = await settleQuestion(raised, {
    hooks,
    dialect: theirs,
    name: hostOf(dialect),
    host,
    state,
    cwd,
    asking,
  })
  const waiting = approver && !off() && (await announceOnce(approver, hooks, verdict, { state, cwd, namesFiles }))
  if (!waiting) return { verdict }
  const message = [...(verdict.message ?? []), formatNote(waiting)]
  return { verdict: { ...verdict, message }, waiting }
}

/**
 * What the host reads. Hooks that cannot be loaded, and what they cannot judge, are a refusal where something can be
 * refused; elsewhere the error is the caller's.
 */
export async function replyTo(about: HostEvent, opening: Promise<Hooks>): Promise<WireReply> {
  const { dialect, payload, named } = about
  const otherwise = async (error: unknown, refused: Refused | undefined): Promise<WireReply> => {
    const reply = await refusal(dialect, payload, named, refused)
    if (!reply) throw error
    return reply
  }
  let hooks: Hooks
  try {
    hooks = await opening
  } catch (error) {
    return otherwise(error, brokenHooks(error))
  }
  let raised: Raised
  try {
    raised = await raiseFor(hooks, about)
  } catch (error) {
    return otherwise(error, unreadable(error))
  }
  const reply = await hooks.replyAs(dialect, raised.verdict)
  // What a host reads as the reason of a refusal stays that and nothing else.
  return reply.exit === 0 ? { ...reply, stderr: warningsOf(hooks, raised) + reply.stderr } : reply
}

/** What a person must know, beside the answer. Nobody may take a guard that nobody has approved for one that is at work. */
export function warningsOf({ notes }: Hooks, { verdict, waiting }: Raised): string {
  const inactive = verdict.notes.filter(({ code }) => code === 'hook-inactive' || code === 'switched-off')
  const amiss = notes.filter((each) => isPartlyBroken(each) || each.code === 'user-layer-elsewhere')
  const said = [...amiss, ...inactive, ...(waiting ? [waiting] : [])]
  return said.map((each) => `${formatNote(each)}\n`).join('')
}

/**
 * A host takes an exit code it does not know for consent. So where something can be refused, hooks that cannot be
 * loaded or cannot read the payload refuse it: else a broken file of the project would disable those of everybody above
 * it. An event that hooks here know nothing of needs no answer.
 */
export async function refusal(
  name: string,
  payload: Record<string, unknown>,
  named: string | undefined,
  refused: Refused | undefined,
): Promise<WireReply | undefined> {
  const dialect = await dialectOfHost(name, ourDialects)
  const decoded = dialect.event.decode(payload, named === undefined ? undefined : eventNamed(dialect, named))
  if (!decoded.ok && decoded.problem.code === 'event-without-counterpart')
    return { kind: 'wire', exit: 0, stdout: '', stderr: `${formatNote(decoded.problem)}\n` }
  if (!refused || !decoded.ok || eventRow(decoded.event).failure !== 'closed') return undefined
  const { message, remedy } = refused.why
  const decision = { ruling: 'deny', reason: `${message} ${remedy}` } as const
  const told = refused.told ? { message: [forPerson(formatNote(refused.told))] } : {}
  const verdict = { event: decoded.event, payload: decoded.payload, decision, ...told, reports: [], notes: [] }
  return dialect.reply.encode(verdict).value
}

export interface Refused {
  why: Note
  /** For the person alone. */
  told?: Note
}

/** What is wrong with a file is told in its own words, and nobody has approved those: the person reads them. */
export function brokenHooks(error: unknown): Refused | undefined {
  if (!(error instanceof HooklineError)) return undefined
  const [problem] = error.notes
  return { why: note('hooks-broken', { place: placeIn(problem?.where) }), ...(problem && { told: problem }) }
}

/** What hooks could not judge does not pass, whatever the error. */
export function unreadable(error: unknown): Refused {
  const detail = error instanceof HooklineError ? (error.notes[0]?.message ?? error.message) : String(error)
  return { why: note('payload-unreadable', { detail }) }
}
