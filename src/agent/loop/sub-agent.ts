import type { RunEnd } from '../agent.ts'
import type { AgentSpec } from '../team.ts'
import { endSession, startSession } from './life.ts'
import { runPrompt } from './run.ts'
import { aside, keep, type Session, tell } from './session.ts'
import { mostRedos } from './turn.ts'

/**
 * A task in a session of its own, from `subagent_start` to `subagent_stop`. Those two are the parent's to hear: they name
 * the sub-agent, and hooks may send it back. Everything else the child does raises events of its own.
 */
export async function runChild(parent: Session, spec: AgentSpec, task: string, signal: AbortSignal): Promise<RunEnd> {
  const child = await parent.house.child(spec, parent)
  keep(child, {
    type: 'session',
    version: 1,
    id: child.id,
    parent: parent.id,
    started: new Date().toISOString(),
    cwd: parent.house.options.cwd,
    agent: spec.name,
  })
  const started = await tell(
    parent,
    'subagent_start',
    { parent_session_id: parent.id, task },
    { signal, agent: spec.name, id: child.id },
  )
  if (started.halt) return { reason: 'halted', response: '', detail: started.halt.reason }
  try {
    await startSession(child, 'startup')
    aside(child, started.context)
    let end = await runPrompt(child, task, 'task', signal)
    for (let redo = 0; ; redo += 1) {
      const reason = await askStop(parent, child, end, redo > 0)
      if (reason === undefined || end.reason !== 'normal' || redo === mostRedos) return end
      end = await runPrompt(child, reason, 'task', signal)
    }
  } finally {
    await endSession(child, 'other')
  }
}

/** Why the sub-agent should go on; undefined when it may stop. */
async function askStop(parent: Session, child: Session, end: RunEnd, again: boolean): Promise<string | undefined> {
  const said = await tell(
    parent,
    'subagent_stop',
    { parent_session_id: parent.id, response: end.response, stop_hook_active: again },
    { agent: child.spec.name, id: child.id },
  )
  return said.decision?.ruling === 'deny' && !said.halt ? said.decision.reason : undefined
}
