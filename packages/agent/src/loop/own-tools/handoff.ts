import * as z from 'zod/mini'
import type { Tool } from '../../core/index.ts'
import { switchAgent } from '../life.ts'
import type { Session } from '../session.ts'
import { placeOf } from '../steps.ts'
import { defineOwn, text } from './define.ts'

/** Another agent takes over the conversation. */
export function handoff(session: Session): Tool[] {
  const { handoffs, name } = session.spec
  const { agents } = session.shared.options.team
  if (handoffs.length === 0) return []
  const described = handoffs.map((agent) => `- ${agent}: ${agents[agent]?.description ?? ''}`).join('\n')
  return [
    defineOwn({
      alone: true,
      name: 'handoff',
      description: `Hand the conversation over to another agent, for good. It sees the whole conversation.\n${described}`,
      category: 'team',
      harmless: true,
      input: z.object({
        agent: z.enum(handoffs as [string, ...string[]]).check(z.describe('Who takes over.')),
        reason: z.optional(text('Why.')),
      }),
      async run({ agent }, { id }) {
        await switchAgent(session, agent, 'handoff', placeOf(session, id, 'tool'))
        return { content: `The conversation was handed over from ${name} to ${agent}. You are ${agent} now: go on.` }
      },
    }),
  ]
}
