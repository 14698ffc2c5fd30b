import * as z from 'zod/mini'
import type { AgentSpec, Tool } from '../../core/index.ts'
import type { RunEnd } from '../agent.ts'
import { agentNamed, endSession, raiseSwitch, startSession } from '../life.ts'
import { runPrompt } from '../prompt.ts'
import { halted, mostRedos, sentBack } from '../run.ts'
import { aside, keep, raise, type Session } from '../session.ts'
import { type Place, placeOf } from '../steps.ts'
import { defineOwn, text } from './define.ts'

/** A sub-agent works on a task in a conversation of its own; its answer is the result. */
export function transferTask(session: Session): Tool[] {
  if (session.spec.subAgents.length === 0) return []
  return [
    defineOwn({
      name: 'transfer_task',
      description: `Give a task to another agent and wait for its answer.\n${listSubAgents(session)}`,
      category: 'team',
      harmless: true,
      orderly: true,
      input: taskInput(session),
      async run({ agent, task, expected_output: expected }, { signal, id }) {
        const place = placeOf(session, id, 'tool')
        const spec = agentNamed(session, agent)
        const parent = session.spec
        await raiseSwitch(session, parent, spec, 'transfer_task', place)
        try {
          const end = await runChild(session, spec, taskText(task, expected), signal, place)
          if (end.reason === 'normal') return { content: end.response }
          return {
            content: `${agent} did not finish (${end.reason}). ${end.detail ?? ''}\n${end.response}`.trim(),
            error: true,
            // A halt in a sub-agent ends the whole run: the user takes over.
            ...(end.reason === 'halted' ? { halt: end.detail ?? '' } : {}),
          }
        } finally {
          await raiseSwitch(session, spec, parent, 'transfer_task_return', place)
        }
      },
    }),
  ]
}

export function taskInput(session: Session) {
  return z.object({
    agent: z.enum(session.spec.subAgents as [string, ...string[]]).check(z.describe('Who does it.')),
    task: text('The task, complete in itself: the agent sees nothing of this conversation.'),
    expected_output: z.optional(text('What the answer should look like.')),
  })
}

export function listSubAgents(session: Session): string {
  const { agents } = session.shared.options.team
  return session.spec.subAgents.map((name) => `- ${name}: ${agents[name]?.description ?? ''}`).join('\n')
}

export const taskText = (task: string, expected: string | undefined) =>
  expected ? `${task}\n\nExpected output: ${expected}` : task

/**
 * Runs a task in a session of its own, from `subagent_start` to `subagent_stop`. The parent raises these two: they name
 * the sub-agent, and hooks may send it back. Everything else raises events of the child.
 */
export async function runChild(
  parent: Session,
  spec: AgentSpec,
  task: string,
  signal: AbortSignal,
  /** The call that begins it. */
  place: Place,
): Promise<RunEnd> {
  if (depthOf(parent) >= mostDepth)
    return {
      reason: 'error',
      response: '',
      detail: `Agents that ask agents are ${mostDepth} deep already: do it yourself.`,
    }
  const child = await parent.shared.child(spec, parent, place)
  const started = await raise(
    parent,
    'subagent_start',
    { parent_session_id: parent.id, task },
    { signal, agent: spec.name, id: child.id, place },
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
    cwd: parent.shared.options.cwd,
    agent: spec.name,
  })
  try {
    const begun = await startSession(child, 'startup')
    aside(child, started.context)
    let end = begun.halt === undefined ? await runPrompt(child, task, 'task', signal) : halted(begun.halt)
    for (let redo = 0; ; redo += 1) {
      const verdict = await raise(
        parent,
        'subagent_stop',
        { parent_session_id: parent.id, response: end.response, stop_hook_active: redo > 0 },
        { agent: spec.name, id: child.id, place },
      )
      if (verdict.halt) return { ...halted(verdict.halt.reason), response: end.response }
      if (verdict.decision?.ruling !== 'deny' || end.reason !== 'normal' || redo === mostRedos) return end
      end = await runPrompt(child, verdict.decision.reason || sentBack, 'task', signal)
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
