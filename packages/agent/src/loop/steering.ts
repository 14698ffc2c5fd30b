import { type Run, RunStop } from './run.ts'
import { add, aside, show, tell } from './session.ts'

/** Gives the model what the user wrote while it worked. True when there was something. A hook that denies it stops the run. */
export async function drainSteering(run: Run): Promise<boolean> {
  const { session, signal } = run
  if (session.steering.length === 0) return false
  const said = await tell(
    session,
    'user_steering_messages_submit',
    { steering_messages: session.steering.splice(0) },
    { signal },
  )
  if (said.halt) throw new RunStop('halted', said.halt.reason)
  if (said.decision && said.decision.ruling !== 'allow') throw new RunStop('hook_blocked', said.decision.reason)
  for (const text of said.payload['steering_messages'] as string[]) {
    add(session, { role: 'user', content: text })
    show(session, { type: 'prompt', text, kind: 'steering' })
  }
  aside(session, said.context)
  return true
}
