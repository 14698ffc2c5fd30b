import { type Effects, effectsOf, isObject, type Reply } from './reply.ts'

export interface SpecHook {
  id: string
  stage: number
  onFailure: 'closed' | 'open' | 'warn'
  shadow: boolean
  reply: Reply
  /** How strong its layer is: 0 is the strongest. Absent: all are equal. */
  rank?: number
  /** It is a list of rules: its `allow` answers asks of its own and of weaker layers. */
  rules?: boolean
}
export interface SpecVerdict {
  ruling: string | undefined
  halted: boolean
  context: string[]
  messages: string[]
  metadata: Record<string, string>
  input: Record<string, unknown>
  ran: string[]
  failed: string[]
}

/** What `pre_tool_use` comes to, for hooks that always answer the same. */
export function specVerdict(hooks: SpecHook[], input: Record<string, unknown>): SpecVerdict {
  const verdict: SpecVerdict = {
    ruling: undefined,
    halted: false,
    context: [],
    messages: [],
    metadata: {},
    input,
    ran: [],
    failed: [],
  }
  const decisions: Decided[] = []
  for (const stage of [...new Set(hooks.map((hook) => hook.stage))].sort((a, b) => a - b)) {
    const before = verdict.input
    for (const hook of hooks.filter((each) => each.stage === stage)) {
      verdict.ran.push(hook.id)
      const effects = effectsUnderPolicy(hook, verdict)
      if (hook.shadow) continue
      if (effects.decision) decisions.push({ ...hook, ruling: effects.decision.ruling })
      verdict.ruling = rulingOf(decisions)
      if (effects.halt) verdict.halted = true
      if (effects.rewrite) verdict.input = rewrite(verdict.input, effects.rewrite)
      verdict.context.push(...(effects.context ?? []))
      verdict.messages.push(...(effects.message ?? []))
      Object.assign(verdict.metadata, effects.metadata)
    }
    if (verdict.ruling !== 'deny' && !verdict.halted) continue
    verdict.input = before
    break
  }
  return verdict
}

/** A failure, or a rewrite that makes no arguments, counts as the hook's failure policy decides. */
function effectsUnderPolicy(hook: SpecHook, verdict: SpecVerdict): Effects {
  const effects = effectsOf(hook.id, hook.reply)
  const fits = effects !== 'failure' && (!effects.rewrite || isObject(effects.rewrite.value))
  if (effects !== 'failure' && fits) return effects
  verdict.failed.push(hook.id)
  if (hook.onFailure === 'closed') return { decision: { ruling: 'deny', reason: '' } }
  return hook.onFailure === 'warn' ? { message: [`failed: ${hook.id}`] } : {}
}

type Decided = Pick<SpecHook, 'rank' | 'rules'> & { ruling: string }

/** Deny beats ask beats allow; but an ask that a rule of its own or a stronger layer allows is answered. */
function rulingOf(decisions: readonly Decided[]): string | undefined {
  if (decisions.some(({ ruling }) => ruling === 'deny')) return 'deny'
  const isAnswered = ({ rank = 0 }: Decided) =>
    decisions.some((other) => other.rules && other.ruling === 'allow' && (other.rank ?? 0) <= rank)
  if (decisions.some((each) => each.ruling === 'ask' && !isAnswered(each))) return 'ask'
  return decisions.some(({ ruling }) => ruling === 'allow') ? 'allow' : undefined
}

function rewrite(
  input: Record<string, unknown>,
  { mode, value }: NonNullable<Effects['rewrite']>,
): Record<string, unknown> {
  return mode === 'replace' ? (value as Record<string, unknown>) : { ...input, ...(value as Record<string, unknown>) }
}
