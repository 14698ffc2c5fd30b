import type { RunEnd } from '../agent.ts'
import { askPerson } from './ask-person.ts'
import type { Run } from './run.ts'
import { show, tell } from './session.ts'

/** May there be another turn? At the limit the run pauses, and goes on only if the person says so. */
export async function allowTurn(run: Run): Promise<RunEnd | undefined> {
  const { session, signal, limit } = run
  if (limit === undefined || run.iteration < limit) return undefined
  const text = `The agent has reached its limit of ${limit} model calls.`
  show(session, { type: 'notice', level: 'warning', text })
  const notice = { notification_level: 'warning', notification_message: text } as const
  await tell(session, 'on_max_iterations', notice, { signal })
  await tell(session, 'notification', notice, { signal })
  const goOn = await askPerson(session, signal, (person) => person.goOn(limit, signal))
  signal.throwIfAborted()
  if (goOn !== true) return { reason: 'max_iterations', response: run.response, detail: text }
  run.limit = limit + (session.spec.maxIterations ?? limit)
  await tell(
    session,
    'on_session_resume',
    { previous_max_iterations: limit, new_max_iterations: run.limit },
    { signal },
  )
  return undefined
}
