import { isObject, type Reply, type Said, saidBy } from './reply.ts'

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
  asked: string[]
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
    asked: [],
    failed: [],
  }
  for (const stage of [...new Set(hooks.map((hook) => hook.stage))].sort((a, b) => a - b)) {
    const before = verdict.input
    for (const hook of hooks.filter((each) => each.stage === stage)) {
      verdict.asked.push(hook.id)
      const said = heard(hook, verdict)
      if (hook.shadow) continue
      if (said.decision && strictness(said.decision.ruling) > strictness(verdict.ruling))
        verdict.ruling = said.decision.ruling
      if (said.halt) verdict.halted = true
      if (said.rewrite) verdict.input = rewrite(verdict.input, said.rewrite)
      verdict.context.push(...(said.context ?? []))
      verdict.messages.push(...(said.message ?? []))
      Object.assign(verdict.metadata, said.metadata)
    }
    if (verdict.ruling !== 'deny' && !verdict.halted) continue
    verdict.input = before
    break
  }
  return verdict
}

/** A failure, or a rewrite that makes no arguments, counts as the hook's policy says. */
function heard(hook: SpecHook, verdict: SpecVerdict): Said {
  const said = saidBy(hook.id, hook.reply)
  const fits = said !== 'failure' && (!said.rewrite || isObject(said.rewrite.value))
  if (said !== 'failure' && fits) return said
  verdict.failed.push(hook.id)
  if (hook.onFailure === 'closed') return { decision: { ruling: 'deny', reason: '' } }
  return hook.onFailure === 'warn' ? { message: [`failed: ${hook.id}`] } : {}
}

const strictness = (ruling: string | undefined) => [undefined, 'allow', 'ask', 'deny'].indexOf(ruling)

function rewrite(
  input: Record<string, unknown>,
  { mode, value }: NonNullable<Said['rewrite']>,
): Record<string, unknown> {
  return mode === 'replace' ? (value as Record<string, unknown>) : { ...input, ...(value as Record<string, unknown>) }
}
