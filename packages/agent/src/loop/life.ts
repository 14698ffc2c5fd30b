import type { AgentSpec } from '../core/index.ts'
import { keep, raise, type Session, show } from './session.ts'
import type { Place } from './steps.ts'

/** A session begins; what hooks say then stays with it. `halt`: why a hook does not want it to. */
export async function startSession(session: Session, source: string, signal?: AbortSignal): Promise<{ halt?: string }> {
  const verdict = await raise(session, 'session_start', { source, status: 'started' }, signal ? { signal } : {})
  for (const content of verdict.context ?? []) {
    // A resumed session already has this context.
    if (session.context.includes(content)) continue
    session.context.push(content)
    keep(session, { type: 'context', content })
  }
  show(session, { type: 'session', source, model: session.spec.models[0] ?? '' })
  return verdict.halt ? { halt: verdict.halt.reason } : {}
}

/** A session ends; nothing can stop that, and nothing that goes wrong here may hide what came before. */
export async function endSession(session: Session, reason: string): Promise<void> {
  await raise(session, 'session_end', { reason, status: 'ended' }).catch((error: unknown) =>
    show(session, { type: 'notice', level: 'error', text: `session_end: ${String(error)}` }),
  )
  keep(session, { type: 'ended', at: new Date().toISOString(), reason })
  show(session, { type: 'end', reason })
  await session.log?.close()
}

/** The conversation begins anew: hooks see its end and a new beginning, and what was said is not sent any more. */
export async function clearSession(session: Session): Promise<void> {
  await raise(session, 'session_end', { reason: 'clear', status: 'ended' })
  session.messages = []
  session.context.length = 0
  session.carried.length = 0
  session.steering.length = 0
  session.followUps.length = 0
  session.lastInputTokens = 0
  session.lastUserMessage = ''
  keep(session, { type: 'cleared', at: new Date().toISOString() })
  const { halt } = await startSession(session, 'clear')
  if (halt !== undefined) show(session, { type: 'notice', level: 'warning', text: halt })
}

export type SwitchKind = 'transfer_task' | 'transfer_task_return' | 'handoff' | 'force_handoff'

/** Another agent of the team becomes the active one of this session: at once, or when the turn has ended. */
export async function switchAgent(
  session: Session,
  to: string,
  kind: 'handoff' | 'force_handoff',
  place: Place = session.place,
): Promise<void> {
  const spec = agentNamed(session, to)
  const from = session.next ?? session.spec
  if (spec === from) return
  await raiseSwitch(session, from, spec, kind, place)
  if (session.inTurn) session.next = spec
  else session.spec = spec
  keep(session, { type: 'agent', agent: to }, place)
}

/**
 * Raised for the agent that hands over or transfers, and again for the return (as docker-agent does), with the models
 * that the leaving agent may release.
 */
export async function raiseSwitch(
  session: Session,
  from: AgentSpec,
  to: AgentSpec,
  kind: SwitchKind,
  place: Place,
): Promise<void> {
  // A model that cannot be opened holds no resources; raise the event anyway.
  const models = await session.shared.modelsOf(from).catch(() => [])
  const endpoints = models.flatMap(({ endpoint }) => (endpoint ? [endpoint] : []))
  show(session, { type: 'agent_switch', from: from.name, to: to.name, kind })
  const change = { from_agent: from.name, to_agent: to.name, agent_switch_kind: kind, from_agent_models: endpoints }
  await raise(session, 'on_agent_switch', change, { place })
}

export function agentNamed(session: Session, name: string): AgentSpec {
  const { agents } = session.shared.options.team
  const spec = Object.hasOwn(agents, name) ? agents[name] : undefined
  if (spec) return spec
  throw new Error(`There is no agent \`${name}\`. There are: ${Object.keys(agents).join(', ')}.`)
}
