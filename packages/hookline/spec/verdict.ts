import { type Effects, effectsOf, isObject, type Reply } from './reply.ts'

export interface SpecHook {
  id: string
  stage: number
  onFailure: 'closed' | 'open' | 'warn'
  shadow: boolean
  reply: Reply
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
  for (const stage of [...new Set(hooks.map((hook) => hook.stage))].sort((a, b) => a - b)) {
    const before = verdict.input
    for (const hook of hooks.filter((each) => each.stage === stage)) {
      verdict.ran.push(hook.id)
      const effects = effectsUnderPolicy(hook, verdict)
      if (hook.shadow) continue
      if (effects.decision && strictness(effects.decision.ruling) > strictness(verdict.ruling))
        verdict.ruling = effects.decision.ruling
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

const strictness = (ruling: string | undefined) => [undefined, 'allow', 'ask', 'deny'].indexOf(ruling)

function rewrite(
  input: Record<string, unknown>,
  { mode, value }: NonNullable<Effects['rewrite']>,
): Record<string, unknown> {
  return mode === 'replace' ? (value as Record<string, unknown>) : { ...input, ...(value as Record<string, unknown>) }
}
