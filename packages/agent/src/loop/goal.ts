import type { RunEnd } from '../agent.ts'
import { runPrompt } from './run.ts'
import { type Session, show } from './session.ts'

/** What a session works for under supervision. */
export interface Goal {
  /** As hooks of the prompt left it. */
  text: string
  /** Set when a claim survived. */
  reached?: string
  refused: number
  /** The text and the tools that came before the claim. */
  response: string
  toolNames: readonly string[]
}

/** How often in a row the agent may stop without a claim before the goal is given up. */
const mostIdleRounds = 5

/** Works until a completion claim survives: an agent that just stops is told to go on. */
export async function pursue(session: Session, text: string, signal: AbortSignal): Promise<RunEnd> {
  const goal: Goal = { text, refused: 0, response: '', toolNames: [] }
  session.goal = goal
  try {
    let end = await runPrompt(session, text, 'goal', signal)
    for (let idle = 1; end.reason === 'normal' && goal.reached === undefined; idle += 1) {
      if (idle > mostIdleRounds) {
        const detail = `The goal is given up: the agent stopped ${idle} times without claiming that it is reached.`
        show(session, { type: 'notice', level: 'warning', text: detail })
        return { ...end, reason: 'gave_up', detail }
      }
      end = await runPrompt(session, reminder(goal.text), 'task', signal)
    }
    if (goal.reached !== undefined) show(session, { type: 'notice', level: 'info', text: 'The goal is reached.' })
    return end
  } finally {
    session.goal = undefined
  }
}

export const opening = (goal: string) => `Work until this goal is reached, then call \`claim_completion\`:\n\n${goal}`
const reminder = (goal: string) =>
  `The goal is not claimed yet. Go on with it, or call \`claim_completion\` if it is reached:\n\n${goal}`
