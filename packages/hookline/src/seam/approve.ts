import { joined, sameJson, type Verdict } from '../core/index.ts'
import type { ApprovalAnswer, ApprovalDecision, ApprovalQuestion, EditedInput, HostRuling } from './contract.ts'
import { ownCopy } from './json-view.ts'
import { type Line, signalOf } from './line.ts'

export interface Decided<I> extends ApprovalDecision {
  /** The final input. */
  input: I
  context: readonly string[]
  /** A hook ends the run. */
  halt: boolean
}

/** Undecided: only the person can say. */
export interface Undecided<I> {
  question: ApprovalQuestion<I>
  /** The input that would run. Whoever gets the question has a copy. */
  input: I
  context: readonly string[]
}

/**
 * Whether a call may run, and with which input. Order: hooks; guards and rules on the input the hooks left; hooks that
 * answer for the person; the person. Any deny is final.
 */
export async function approve<I extends object>(line: Line<I>): Promise<Decided<I>> {
  return settle(line, await decideCall(line))
}

async function decideCall<I extends object>(line: Line<I>): Promise<Decided<I>> {
  const judged = await judgeCall(line)
  return 'question' in judged ? askPerson(line, judged) : judged
}

/** All but the person. */
export function judgeCall<I extends object>(line: Line<I>): Promise<Decided<I> | Undecided<I>> {
  return unlessStopped(line, async () => {
    const { input, signal } = line
    const pre = await line.raise(
      'pre_tool_use',
      ruledPayload(line, input, await rule(line, input)),
      signal && { signal },
    )
    // The model reads the context of hooks, whatever the decision is.
    return { ...(await decideAfter(line, pre)), context: pre.context ?? [] }
  })
}

function askPerson<I extends object>(line: Line<I>, undecided: Undecided<I>): Promise<Decided<I>> {
  return unlessStopped(line, async () => {
    const given = await line.options.ask?.(undecided.question, signalOf(line.signal))
    line.signal?.throwIfAborted()
    return typeof given === 'object' && 'input' in given
      ? decideEdited(line, undecided, given)
      : answered(undecided, given)
  })
}

/** What the person made of it is a new call for hooks and rules, and the model must know of it. */
async function decideEdited<I extends object>(
  line: Line<I>,
  { context, input: before }: Undecided<I>,
  given: EditedInput,
): Promise<Decided<I>> {
  const read = await readInput(line, given.input)
  if ('problem' in read) {
    const reason = `The user changed the arguments of \`${line.tool}\` into something it does not take: ${read.problem}`
    return { ...refused(before, 'user_rejected', reason), context }
  }
  // A program that answers in place of the person could go on like this for ever.
  if (sameJson(read.input, before))
    return { ...refused(before, 'user_rejected', 'The user gave the same arguments again, and no answer.'), context }
  const decided = await decideCall({ ...line, input: read.input })
  const changed = `The user changed the arguments of this call of \`${line.tool}\` to ${JSON.stringify(line.about(decided.input).tool_input)}.`
  return { ...decided, context: [...context, changed, ...decided.context] }
}

/** What the person's answer makes of the call. No answer: there is nobody who could give one. */
export function answered<I>({ question, input, context }: Undecided<I>, given: ApprovalAnswer | undefined): Decided<I> {
  const { reason, tool_name: tool } = question
  if (given === undefined) {
    const nobody = `Tool '${tool}' requires user confirmation but the session is non-interactive.`
    return { ...refused(input, 'non_interactive_deny', [nobody, reason].join(' ').trim()), context }
  }
  const answer = typeof given === 'object' ? given : { approved: given }
  if (answer.approved === true) return { ...allowed(input, answer.source ?? 'user_approved'), context }
  const reply = answer.reason ? `The user said no: ${answer.reason}` : 'The user said no.'
  return { ...refused(input, answer.source ?? 'user_rejected', reply), context }
}

/** Raises what was decided. A call that was stopped meanwhile has no decision, whatever came back. */
export async function settle<I extends object>(line: Line<I>, ruled: Decided<I>): Promise<Decided<I>> {
  const decided = line.signal?.aborted ? canceled(ruled.input) : ruled
  const { decision, source, reason, input } = decided
  const about = joined(line.about(input), { approval_decision: decision, approval_source: source })
  await line.raise('on_tool_approval_decision', about)
  line.options.onDecision?.({ decision, source, reason })
  return decided
}

async function unlessStopped<I extends object, T>(line: Line<I>, work: () => Promise<T>): Promise<T | Decided<I>> {
  try {
    return await work()
  } catch (error) {
    if (line.signal?.aborted) return canceled(line.input)
    throw error
  }
}

async function decideAfter<I extends object>(
  line: Line<I>,
  pre: Verdict<'pre_tool_use'>,
): Promise<Decided<I> | Undecided<I>> {
  const denied = denial(pre, 'pre_tool_use_hook_deny', line.input)
  if (denied) return denied
  const rewritten = await rewrite(line, line.input, pre, 'pre_tool_use_hook_deny')
  if ('decision' in rewritten) return rewritten
  const { input } = rewritten
  const judged = await judge(line, input)
  if ('decision' in judged) return judged
  const asks = pre.decision?.ruling === 'ask' ? pre.decision.reason : undefined
  if (judged.guarded === undefined && asks === undefined) {
    if (judged.rules.ruling === 'allow' && !judged.rules.inferred) return allowed(input, judged.rules.source)
    if (pre.decision?.ruling === 'allow') return allowed(input, 'pre_tool_use_hook_allow')
    if (judged.rules.ruling === undefined && line.options.undecided !== 'ask') return allowed(input, 'undecided')
  }
  return request(line, input, judged, asks)
}

interface Ruled extends HostRuling {
  source: string
  reason: string
}

/** Guards and rules, on the input that would run. `guarded`: a guard requires the person to decide. */
interface Judged {
  guarded: string | undefined
  rules: Ruled
  metadata: Readonly<Record<string, string>>
}

async function judge<I extends object>(line: Line<I>, input: I): Promise<Judged | Decided<I>> {
  const rules = await rule(line, input)
  const { signal } = line
  const guard = await line.raise('tool_guard', ruledPayload(line, input, rules), signal && { signal })
  const denied = denial(guard, 'tool_guard_deny', input)
  if (denied) return denied
  if (rules.ruling === 'deny') return refused(input, rules.source, rules.reason)
  const guarded = guard.decision?.ruling === 'ask' ? guard.decision.reason : undefined
  return { guarded, rules, metadata: guard.metadata ?? {} }
}

/**
 * Undecided so far. Hooks may answer for the person, unless a guard requires the person. When a hook asks, only the
 * person can answer: no rule and no earlier approval does.
 */
async function request<I extends object>(
  line: Line<I>,
  input: I,
  judged: Judged,
  asks: string | undefined,
): Promise<Decided<I> | Undecided<I>> {
  const why = (reason: string | undefined) => reason ?? asks ?? judged.rules.reason
  if (judged.guarded !== undefined) return ask(line, input, why(judged.guarded), judged.metadata, true)
  const payload = ruledPayload(line, input, judged.rules)
  const verdict = await line.raise('permission_request', payload, line.signal && { signal: line.signal })
  const denied = denial(verdict, 'permission_request_hook_deny', input)
  if (denied) return denied
  const rewritten = await rewrite(line, input, verdict, 'permission_request_hook_deny')
  if ('decision' in rewritten) return rewritten
  const final = rewritten.input
  const again = verdict.rewrite ? await judge(line, final) : judged
  if ('decision' in again) return again
  const metadata = { ...verdict.metadata, ...again.metadata }
  if (again.guarded === undefined && verdict.decision?.ruling === 'allow')
    return allowed(final, 'permission_request_hook_allow')
  const isAllowed = again.guarded === undefined && asks === undefined && verdict.decision === undefined
  if (isAllowed && again.rules.ruling === 'allow') return allowed(final, again.rules.source)
  const onlyPerson = again.guarded !== undefined || asks !== undefined || verdict.decision?.ruling === 'ask'
  return ask(line, final, why(again.guarded ?? verdict.decision?.reason), metadata, onlyPerson)
}

function ask<I extends object>(
  { tool, id }: Line<I>,
  input: I,
  reason: string,
  metadata: Readonly<Record<string, string>>,
  onlyPerson: boolean,
): Undecided<I> {
  const question = { tool_name: tool, tool_use_id: id, input: ownCopy(input), reason, metadata, onlyPerson }
  return { question, input, context: [] }
}

/** The input as a hook left it, read again: a hook may have made something of it that the tool does not take. */
async function rewrite<I extends object>(
  line: Line<I>,
  input: I,
  verdict: Verdict<'pre_tool_use'> | Verdict<'permission_request'>,
  source: string,
): Promise<{ input: I } | Decided<I>> {
  if (!verdict.rewrite) return { input }
  const read = await readInput(line, verdict.payload.tool_input)
  if ('input' in read) return read
  const reason = `A hook rewrote the arguments of \`${line.tool}\` into something it does not take: ${read.problem}`
  return refused(input, source, reason)
}

async function readInput<I extends object>(
  { options }: Line<I>,
  given: Record<string, unknown>,
): Promise<{ input: I } | { problem: string }> {
  const input = ownCopy(given)
  try {
    return { input: options.parseInput ? ownCopy(await options.parseInput(input)) : (input as I) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

function denial<I>(
  verdict: { halt?: { reason: string }; decision?: { ruling: string; reason: string } },
  source: string,
  input: I,
): Decided<I> | undefined {
  if (verdict.halt) return { ...refused(input, source, verdict.halt.reason), halt: true }
  return verdict.decision?.ruling === 'deny' ? refused(input, source, verdict.decision.reason) : undefined
}

const refused = <I>(input: I, source: string, reason: string): Decided<I> => ({
  ...{ decision: 'deny', source, reason, input, context: [], halt: false },
})

const allowed = <I>(input: I, source: string): Decided<I> => ({
  ...{ decision: 'allow', source, reason: '', input, context: [], halt: false },
})

const canceled = <I>(input: I): Decided<I> => ({
  ...{ decision: 'canceled', source: 'context_canceled', reason: 'Canceled.', input, context: [], halt: false },
})

async function rule<I extends object>({ options }: Line<I>, input: I): Promise<Ruled> {
  const { ruling, source = 'host_rule', reason, inferred } = (await options.rules?.(input)) ?? {}
  return { ruling, source, reason: reason ?? usualReasons[ruling ?? 'none'], inferred }
}

const usualReasons = {
  allow: '',
  ask: 'A rule of this program asks first.',
  deny: 'A rule of this program forbids it.',
  none: 'No rule decides about it.',
} as const

/** With what the rules say of it, so that hooks which want undecided calls only can be skipped. */
function ruledPayload<I extends object>({ about }: Line<I>, input: I, { ruling, inferred }: HostRuling) {
  if (!ruling) return about(input)
  return joined(about(input), { permission_rule: ruling, ...(inferred && { permission_inferred: true }) })
}
