import type { Verdict } from 'hookline/internal'
import type { Tool, ToolCall } from '../core/index.ts'
import { askPerson, type Run } from './run.ts'
import { raise, show } from './session.ts'

export interface Approved {
  approved: true
  /** With the final input. */
  call: ToolCall
  context: readonly string[]
}
export interface Refused {
  approved: false
  reason: string
  halt?: string
  context: readonly string[]
}

/**
 * Whether a call may run, and with which input. Order: hooks; guards and rules on the input the hooks left; hooks that
 * answer for the person; the person. Any deny is final.
 */
export async function approve(run: Run, call: ToolCall, tool: Tool, signal: AbortSignal): Promise<Approved | Refused> {
  const { session } = run
  const ruled = await decide(run, call, tool, signal)
  // A run that was stopped meanwhile has no decision, whatever came back.
  const decided = signal.aborted ? canceled(ruled.call) : ruled
  const { decision, source, reason } = decided
  const about = payloadOf(decided.call, tool)
  await raise(session, 'on_tool_approval_decision', { ...about, approval_decision: decision, approval_source: source })
  show(session, { type: 'approval', call_id: call.id, decision, source, ...(reason === '' ? {} : { reason }) })
  const { context = [] } = decided
  if (decision === 'allow') return { approved: true, call: decided.call, context }
  if (decision === 'canceled') signal.throwIfAborted()
  return { approved: false, reason, context, ...(decided.halt === undefined ? {} : { halt: decided.halt }) }
}

interface Decided {
  decision: 'allow' | 'deny' | 'canceled'
  /** docker-agent's word for who decided. */
  source: string
  reason: string
  call: ToolCall
  context?: readonly string[]
  halt?: string
}

async function decide(run: Run, call: ToolCall, tool: Tool, signal: AbortSignal): Promise<Decided> {
  const { session } = run
  try {
    const pre = await raise(session, 'pre_tool_use', ruledPayload(call, tool, rule(run, call, tool)), { signal })
    // The model reads the context of hooks, whatever the decision is.
    return { ...(await decideAfter(pre)), context: pre.context ?? [] }
  } catch (error) {
    if (signal.aborted) return canceled(call)
    throw error
  }

  async function decideAfter(pre: Verdict<'pre_tool_use'>): Promise<Decided> {
    const denied = denial(pre, 'pre_tool_use_hook_deny', call)
    if (denied) return denied
    const rewritten = rewrite(call, tool, pre, 'pre_tool_use_hook_deny')
    if ('decision' in rewritten) return rewritten
    const judged = await judge(run, rewritten, tool, signal)
    if ('decision' in judged) return judged
    const asks = pre.decision?.ruling === 'ask' ? pre.decision.reason : undefined
    if (judged.guarded === undefined && asks === undefined) {
      if (judged.rules.ruling === 'allow') return allowed(rewritten, judged.rules.source)
      if (pre.decision?.ruling === 'allow') return allowed(rewritten, 'pre_tool_use_hook_allow')
    }
    return request(run, rewritten, tool, judged, asks, signal)
  }
}

/** Guards and rules, on the input that would run. `guarded`: a guard requires the person to decide. */
interface Judged {
  guarded: string | undefined
  rules: ReturnType<typeof rule>
  metadata: Readonly<Record<string, string>>
}

async function judge(run: Run, call: ToolCall, tool: Tool, signal: AbortSignal): Promise<Judged | Decided> {
  const rules = rule(run, call, tool)
  const guard = await raise(run.session, 'tool_guard', ruledPayload(call, tool, rules), { signal })
  const denied = denial(guard, 'tool_guard_deny', call)
  if (denied) return denied
  if (rules.ruling === 'deny') return { decision: 'deny', source: rules.source, reason: rules.reason, call }
  const guarded = guard.decision?.ruling === 'ask' ? guard.decision.reason : undefined
  return { guarded, rules, metadata: guard.metadata ?? {} }
}

/**
 * Undecided so far. Hooks may answer for the person, unless a guard requires the person. When a hook asks, only the
 * person can answer: no rule and no earlier approval does.
 */
async function request(
  run: Run,
  call: ToolCall,
  tool: Tool,
  judged: Judged,
  asks: string | undefined,
  signal: AbortSignal,
): Promise<Decided> {
  const why = (reason: string | undefined) => reason ?? asks ?? judged.rules.reason
  if (judged.guarded !== undefined) return ask(run, call, tool, why(judged.guarded), judged.metadata, false, signal)
  const verdict = await raise(run.session, 'permission_request', ruledPayload(call, tool, judged.rules), { signal })
  const denied = denial(verdict, 'permission_request_hook_deny', call)
  if (denied) return denied
  const final = rewrite(call, tool, verdict, 'permission_request_hook_deny')
  if ('decision' in final) return final
  const again = verdict.rewrite ? await judge(run, final, tool, signal) : judged
  if ('decision' in again) return again
  const metadata = { ...verdict.metadata, ...again.metadata }
  if (again.guarded === undefined && verdict.decision?.ruling === 'allow')
    return allowed(final, 'permission_request_hook_allow')
  const grantable = again.guarded === undefined && asks === undefined && verdict.decision?.ruling !== 'ask'
  return ask(run, final, tool, why(again.guarded ?? verdict.decision?.reason), metadata, grantable, signal)
}

async function ask(
  run: Run,
  call: ToolCall,
  tool: Tool,
  reason: string,
  metadata: Readonly<Record<string, string>>,
  grantable: boolean,
  signal: AbortSignal,
): Promise<Decided> {
  const { session } = run
  const { permissions } = session.shared
  const answer = await askPerson(session, signal, async (person) => {
    // While this question waited, the person may have answered it for good.
    const granted = grantable ? rule(run, call, tool) : undefined
    if (granted?.ruling === 'allow') return granted
    return person.approve({ call, agent: session.spec.name, category: tool.category, reason, metadata }, signal)
  })
  signal.throwIfAborted()
  if (answer === undefined) {
    const nobody = `Tool '${call.name}' requires user confirmation but the session is non-interactive.`
    return { decision: 'deny', source: 'non_interactive_deny', reason: [nobody, reason].join(' ').trim(), call }
  }
  if ('ruling' in answer) return allowed(call, answer.source)
  if (answer.answer === 'no') {
    const reply = answer.reason ? `The user said no: ${answer.reason}` : 'The user said no.'
    return { decision: 'deny', source: 'user_rejected', reason: reply, call }
  }
  if (answer.answer !== 'once') permissions.grant({ ...call, category: tool.category }, answer.answer)
  return allowed(call, answer.answer === 'once' ? 'user_approved' : `user_approved_${answer.answer}`)
}

/** The final input, validated again: a hook may have made something of it that the tool does not take. */
function rewrite(
  call: ToolCall,
  tool: Tool,
  verdict: { rewrite?: unknown; payload: Readonly<Record<string, unknown>> },
  source: string,
): ToolCall | Decided {
  if (!verdict.rewrite) return call
  const read = tool.parse(verdict.payload['tool_input'] as Record<string, unknown>)
  if (read.ok) return { ...call, input: read.input }
  const reason = `A hook rewrote the arguments of \`${call.name}\` into something it does not take: ${read.problem}`
  return { decision: 'deny', source, reason, call }
}

function denial(
  verdict: { halt?: { reason: string }; decision?: { ruling: string; reason: string } },
  source: string,
  call: ToolCall,
): Decided | undefined {
  if (verdict.halt) return { decision: 'deny', source, reason: verdict.halt.reason, halt: verdict.halt.reason, call }
  if (verdict.decision?.ruling !== 'deny') return undefined
  return { decision: 'deny', source, reason: verdict.decision.reason, call }
}

const canceled = (call: ToolCall): Decided => ({
  decision: 'canceled',
  source: 'context_canceled',
  reason: 'Canceled.',
  call,
})

const allowed = (call: ToolCall, source: string): Decided => ({ decision: 'allow', source, reason: '', call })

function rule(run: Run, call: ToolCall, tool: Tool) {
  return run.session.shared.permissions.decide({
    name: call.name,
    input: call.input,
    readOnly: tool.readOnly?.(call.input) === true,
    category: tool.category,
  })
}

/** With what the rules say of it, so that hooks which want undecided calls only can be skipped. */
function ruledPayload(call: ToolCall, tool: Tool, { ruling }: ReturnType<typeof rule>) {
  return { ...payloadOf(call, tool), ...(ruling ? { permission_rule: ruling } : {}) }
}

function payloadOf(call: ToolCall, tool: Tool) {
  return { tool_name: call.name, tool_use_id: call.id, tool_input: call.input, tool_category: tool.category }
}
