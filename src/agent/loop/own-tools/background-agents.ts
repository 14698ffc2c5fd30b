import * as z from 'zod/mini'
import type { Tool } from '../../tool.ts'
import type { BackgroundTask } from '../house.ts'
import { type Session, show } from '../session.ts'
import { runChild } from '../sub-agent.ts'
import { agentNamed } from '../switch-agent.ts'
import { defineOwn, text } from './define.ts'
import { listSubAgents, taskInput, taskText } from './transfer-task.ts'

/** Sub-agents that work beside this one (docker-agent's `background_agents` toolset). */
export function backgroundAgents(session: Session): Tool[] {
  const { spec, house } = session
  const wanted = spec.toolsets.some(({ type }) => type === 'background_agents')
  if (!wanted || spec.subAgents.length === 0) return []
  const one = z.object({ task_id: text('The id that run_background_agent gave.') })
  const find = (id: string) => house.background.get(id)
  return [
    defineOwn({
      name: 'run_background_agent',
      description: `Start another agent on a task without waiting for it.\n${listSubAgents(session)}`,
      category: 'team',
      harmless: true,
      input: taskInput(session),
      async run({ agent, task, expected_output: expected }) {
        const { id } = begin(session, agent, taskText(task, expected))
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
        const tasks = [...house.background.values()].map(
          ({ id, agent, state, task }) => `${id} ${agent} ${state}: ${task.slice(0, 80)}`,
        )
        return { content: tasks.join('\n') || 'There are none.' }
      },
    }),
    defineOwn({
      name: 'view_background_agent',
      description: 'What a background agent has answered, or how it stands.',
      category: 'team',
      harmless: true,
      input: one,
      async run({ task_id }) {
        const task = find(task_id)
        if (!task) return { content: `There is no task ${task_id}.`, error: true }
        return { content: `${task.agent}: ${task.state}\n${task.response}`.trim() }
      },
    }),
    defineOwn({
      name: 'stop_background_agent',
      description: 'Stop a background agent.',
      category: 'team',
      harmless: true,
      input: one,
      async run({ task_id }) {
        const task = find(task_id)
        if (!task) return { content: `There is no task ${task_id}.`, error: true }
        task.stop()
        await task.ended
        return { content: `${task.agent}: ${task.state}` }
      },
    }),
  ]
}

/** Runs until it is done or stopped, whatever becomes of the turn that began it; the session's end stops it. */
function begin(session: Session, agent: string, text: string): BackgroundTask {
  const stopping = new AbortController()
  const { background } = session.house
  const id = `task_${background.size + 1}`
  const ended = runChild(session, agentNamed(session, agent), text, stopping.signal).then(
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
