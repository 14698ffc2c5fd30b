import * as z from 'zod/mini'
import type { Tool } from '../../core/index.ts'
import { mostRedos } from '../run.ts'
import { raise, type Session } from '../session.ts'
import { defineOwn, text } from './define.ts'

/** There while the session works for a goal: the only way to say that it is reached. */
export function claimCompletion(session: Session): Tool[] {
  const { goal } = session
  if (!goal) return []
  return [
    defineOwn({
      alone: true,
      name: 'claim_completion',
      description: 'Say that the goal is reached. Only when you have checked that it is; the claim may be examined.',
      category: 'goal',
      harmless: true,
      input: z.object({ summary: text('What was done, and how you know that it works.') }),
      async run({ summary }, { signal }) {
        const verdict = await raise(
          session,
          'on_completion_claim',
          {
            goal: goal.text,
            summary,
            response: goal.response,
            tool_names: goal.toolNames,
            stop_hook_active: goal.refused > 0,
          },
          { signal },
        )
        if (verdict.halt)
          return { content: `A hook ended the work: ${verdict.halt.reason}`, error: true, halt: verdict.halt.reason }
        if (verdict.decision?.ruling === 'deny' && goal.refused < mostRedos) {
          goal.refused += 1
          return {
            content: `The claim does not hold: ${verdict.decision.reason}\nThe goal is not reached yet: go on.`,
            error: true,
            context: verdict.context ?? [],
          }
        }
        goal.reached = summary
        session.carried.push(...(verdict.context ?? []))
        return { content: 'The claim is accepted.' }
      },
    }),
  ]
}
