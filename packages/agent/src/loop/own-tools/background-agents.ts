import * as z from 'zod/mini'
import type { Tool } from '../../core/index.ts'
import { agentNamed } from '../life.ts'
import { type BackgroundTask, type Session, show } from '../session.ts'
import { type Place, placeOf } from '../steps.ts'
import { defineOwn, text } from './define.ts'
import { listSubAgents, runChild, taskInput, taskText } from './transfer-task.ts'

/** Sub-agents that work beside this one (docker-agent's `background_agents` toolset). */
export function backgroundAgents(session: Session): Tool[] {
  const { spec, shared } = session
  const wanted = spec.toolsets.some(({ type }) => type === 'background_agents')
  if (!wanted || spec.subAgents.length === 0) return []
  return [
    defineOwn({
      // They are numbered in the order of the calls.
      alone: true,
      name: 'run_background_agent',
      description: `Start another agent on a task without waiting for it.\n${listSubAgents(session)}`,
      category: 'team',
      harmless: true,
      input: taskInput(session),
      async run({ agent, task, expected_output: expected }, call) {
        const { id } = begin(session, agent, taskText(task, expected), placeOf(session, call.id, 'tool'))
        return { content: `${agent} works on it. Task id: ${id}` }
      },
    }),
    defineOwn({
      name: 'list_background_agents',
      description: 'The tasks of background agents and how they stand.',
      category: 'team',
      harmless: true,
      input: z.object({}),
      async run() {
        const tasks = [...shared.background.values()].map(
          ({ id, agent, state, task }) => `${id} ${agent} ${state}: ${task.slice(0, 80)}`,
        )
        return { content: tasks.join('\n') || 'There are none.' }
      },
    }),
    about(
      'view_background_agent',
      'What a background agent has answered, or how it stands.',
      async ({ agent, state, response }) => `${agent}: ${state}\n${response}`.trim(),
    ),
    about('stop_background_agent', 'Stop a background agent.', async (task) => {
      task.stop()
      await task.ended
      return `${task.agent}: ${task.state}`
    }),
  ]

  /** A tool about one task, named by its id. */
  function about(name: string, description: string, answer: (task: BackgroundTask) => Promise<string>): Tool {
    return defineOwn({
      name,
      description,
      category: 'team',
      harmless: true,
      input: z.object({ task_id: text('The id that run_background_agent gave.') }),
      async run({ task_id: id }) {
        const task = shared.background.get(id)
        return task ? { content: await answer(task) } : { content: `There is no task ${id}.`, error: true }
      },
    })
  }
}

/** Runs until it is done or stopped, whatever becomes of the turn that began it; the session's end stops it. */
function begin(session: Session, agent: string, text: string, place: Place): BackgroundTask {
  const stopping = new AbortController()
  const { background } = session.shared
  const id = `task_${background.size + 1}`
  const ended = runChild(session, agentNamed(session, agent), text, stopping.signal, place).then(
    (end) => {
      task.response = end.response || (end.detail ?? '')
      task.state = stopping.signal.aborted ? 'stopped' : end.reason === 'normal' ? 'done' : 'failed'
      show(session, { type: 'notice', level: 'info', text: `Background task ${id} (${agent}): ${task.state}.` })
    },
    (error: unknown) => {
      task.response = String(error)
      task.state = 'failed'
    },
  )
  const task: BackgroundTask = {
    id,
    agent,
    task: text,
    state: 'running',
    response: '',
    stop: () => stopping.abort(),
    ended,
  }
  background.set(id, task)
  return task
}
