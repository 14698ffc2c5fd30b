import type { AgentSpec } from '../team.ts'
import { keep, type Session, show, tell } from './session.ts'

export type SwitchKind = 'transfer_task' | 'transfer_task_return' | 'handoff' | 'force_handoff'

/** Another agent of the team becomes the active one of this session: at once, or when the turn has ended. */
export async function switchAgent(session: Session, to: string, kind: 'handoff' | 'force_handoff'): Promise<void> {
  const spec = agentNamed(session, to)
  const from = session.next ?? session.spec
  if (spec === from) return
  await tellSwitch(session, from, spec, kind)
  if (session.inTurn) session.next = spec
  else session.spec = spec
  keep(session, { type: 'agent', agent: to })
}

/**
 * Told in the name of the agent whose session it is: who hands over or transfers hears it, and of the return as well
 * (as in docker-agent); with the models that the one who leaves may free.
 */
export async function tellSwitch(session: Session, from: AgentSpec, to: AgentSpec, kind: SwitchKind): Promise<void> {
  // A model that cannot be opened holds nothing; the switch is told all the same.
  const models = await session.house.modelsOf(from).catch(() => [])
  const endpoints = models.flatMap(({ endpoint }) => (endpoint ? [endpoint] : []))
  show(session, { type: 'agent_switch', from: from.name, to: to.name, kind })
  const change = { from_agent: from.name, to_agent: to.name, agent_switch_kind: kind, from_agent_models: endpoints }
  await tell(session, 'on_agent_switch', change)
}

export function agentNamed(session: Session, name: string): AgentSpec {
  const { agents } = session.house.options.team
  const spec = Object.hasOwn(agents, name) ? agents[name] : undefined
  if (spec) return spec
  throw new Error(`There is no agent \`${name}\`. There are: ${Object.keys(agents).join(', ')}.`)
}
