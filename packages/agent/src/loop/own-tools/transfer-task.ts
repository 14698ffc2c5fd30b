import * as z from 'zod/mini'
import type { Tool } from '../../tool.ts'
import type { Session } from '../session.ts'
import { runChild } from '../sub-agent.ts'
import { agentNamed, tellSwitch } from '../switch-agent.ts'
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
      async run({ agent, task, expected_output: expected }, { signal }) {
        const spec = agentNamed(session, agent)
        const parent = session.spec
        await tellSwitch(session, parent, spec, 'transfer_task')
        try {
          const end = await runChild(session, spec, taskText(task, expected), signal)
          if (end.reason === 'normal') return { content: end.response }
          return {
            content: `${agent} did not finish (${end.reason}). ${end.detail ?? ''}\n${end.response}`.trim(),
            error: true,
            // Whoever halts means everybody: the user takes over.
            ...(end.reason === 'halted' ? { halt: end.detail ?? '' } : {}),
          }
        } finally {
          await tellSwitch(session, spec, parent, 'transfer_task_return')
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
  const { agents } = session.house.options.team
  return session.spec.subAgents.map((name) => `- ${name}: ${agents[name]?.description ?? ''}`).join('\n')
}

export const taskText = (task: string, expected: string | undefined) =>
  expected ? `${task}\n\nExpected output: ${expected}` : task
