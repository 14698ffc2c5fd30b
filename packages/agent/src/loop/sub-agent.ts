import type { RunEnd } from '../agent.ts'
import type { AgentSpec } from '../team.ts'
import { endSession, startSession } from './life.ts'
import { halted, runPrompt } from './run.ts'
import { aside, keep, type Session, tell } from './session.ts'
import { mostRedos, sentBack } from './turn.ts'

/**
 * A task in a session of its own, from `subagent_start` to `subagent_stop`. Those two are the parent's to hear: they name
 * the sub-agent, and hooks may send it back. Everything else the child does raises events of its own.
 */
export async function runChild(parent: Session, spec: AgentSpec, task: string, signal: AbortSignal): Promise<RunEnd> {
  if (depthOf(parent) >= mostDepth)
    return {
      reason: 'error',
      response: '',
      detail: `Agents that ask agents are ${mostDepth} deep already: do it yourself.`,
    }
  const child = await parent.house.child(spec, parent)
  const started = await tell(
    parent,
    'subagent_start',
    { parent_session_id: parent.id, task },
    { signal, agent: spec.name, id: child.id },
  )
  if (started.halt) {
    await child.log?.close()
    return halted(started.halt.reason)
  }
  keep(child, {
    type: 'session',
    version: 1,
    id: child.id,
    parent: parent.id,
    started: new Date().toISOString(),
    cwd: parent.house.options.cwd,
    agent: spec.name,
  })
  try {
    const begun = await startSession(child, 'startup')
    aside(child, started.context)
    let end = begun.halt === undefined ? await runPrompt(child, task, 'task', signal) : halted(begun.halt)
    for (let redo = 0; ; redo += 1) {
      const said = await tell(
        parent,
        'subagent_stop',
        { parent_session_id: parent.id, response: end.response, stop_hook_active: redo > 0 },
        { agent: spec.name, id: child.id },
      )
      if (said.halt) return { ...halted(said.halt.reason), response: end.response }
      if (said.decision?.ruling !== 'deny' || end.reason !== 'normal' || redo === mostRedos) return end
      end = await runPrompt(child, said.decision.reason || sentBack, 'task', signal)
    }
  } finally {
    await endSession(child, 'other')
  }
}

/** Agents that may ask each other would else do so for ever. */
const mostDepth = 5

function depthOf({ parent }: Session): number {
  return parent ? 1 + depthOf(parent) : 0
}
