import type { Verdict } from 'hookline/internal'
import * as z from 'zod/mini'
import type { Tool } from '../../core/index.ts'
import { mostRedos } from '../run.ts'
import { raise, type Session } from '../session.ts'
import { placeOf } from '../steps.ts'
import { defineOwn, text } from './define.ts'

/** Why the claim does not hold. The engine drops a deny that comes too often in a row; the claim is not true by that. */
function refusalOf({ decision, notes, reports }: Verdict<'on_completion_claim'>): string | undefined {
  if (decision?.ruling === 'deny') return decision.reason
  if (!notes.some(({ code }) => code === 'redo-cap')) return undefined
  return reports.find(({ outcome, shadow }) => outcome === 'deny' && !shadow)?.opinion?.decision?.reason ?? ''
}

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
      async run({ summary }, { signal, id }) {
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
          { signal, place: placeOf(session, id, 'tool') },
        )
        if (verdict.halt)
          return { content: `A hook ended the work: ${verdict.halt.reason}`, error: true, halt: verdict.halt.reason }
        const refusal = refusalOf(verdict)
        if (refusal !== undefined) {
          goal.refused += 1
          const isLast = goal.refused > mostRedos
          if (isLast) goal.givenUp = refusal
          return {
            content: `The claim does not hold: ${refusal}\nThe goal is not reached${isLast ? '.' : ' yet: go on.'}`,
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
