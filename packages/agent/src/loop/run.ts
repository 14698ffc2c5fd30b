import type { Person, Usage } from '../core/index.ts'
import type { RunEnd } from './agent.ts'
import { add, aside, raise, type Session, show } from './session.ts'

/** One message of the user on its way to an answer: as many turns as it takes. */
export interface Run {
  readonly session: Session
  readonly signal: AbortSignal
  /** Model calls so far, and how many are allowed before the person has to approve more. */
  iteration: number
  limit: number | undefined
  /** How often hooks have sent the agent back. */
  redos: number
  readonly toolNames: string[]
  readonly spent: { usage: Usage; cost: number | undefined }
  /** The last batch of tool calls, and how often it came in a row. */
  repeated: { batch: string; times: number }
  /** Agents that have handed the conversation over (`force_handoff`). */
  readonly handedOver: Set<string>
  response: string
  model: string
  /** The error that was raised inside its turn, so that it is raised once. */
  reported?: unknown
}

/** Thrown to end a run from wherever it is. */
export class RunStop extends Error {
  readonly end: RunEnd
  constructor(reason: string, detail: string) {
    super(detail)
    this.end = { reason, response: '', detail }
  }
}

export async function raiseError(session: Session, message: string): Promise<void> {
  show(session, { type: 'notice', level: 'error', text: message })
  const notice = { notification_level: 'error', notification_message: message } as const
  await raise(session, 'on_error', notice)
  await raise(session, 'notification', notice)
}

export const halted = (reason: string): RunEnd => ({
  reason: 'halted',
  response: '',
  detail: reason || 'A hook ended the run.',
})

/** However many hooks there are, an agent is sent back at most this often in a run (Starchild's cap). */
export const mostRedos = 3

/** The instruction when a hook sends the agent back without a reason. */
export const sentBack = 'A check of your answer failed. Look at it again.'

/** Gives the model what the user wrote while it worked. True when there was something. A hook that denies it stops the run. */
export async function drainSteering(run: Run): Promise<boolean> {
  const { session, signal } = run
  if (session.steering.length === 0) return false
  const verdict = await raise(
    session,
    'user_steering_messages_submit',
    { steering_messages: session.steering.splice(0) },
    { signal },
  )
  if (verdict.halt) throw new RunStop('halted', verdict.halt.reason)
  if (verdict.decision && verdict.decision.ruling !== 'allow')
    throw new RunStop('hook_blocked', verdict.decision.reason)
  for (const text of verdict.payload['steering_messages'] as string[]) {
    add(session, { role: 'user', content: text })
    show(session, { type: 'prompt', text, kind: 'steering' })
  }
  aside(session, verdict.context)
  return true
}

/** Asks the person, one question at a time; undefined when there is no person. */
export function askPerson<T>(
  session: Session,
  signal: AbortSignal,
  question: (person: Person) => Promise<T>,
): Promise<T | undefined> {
  const { shared } = session
  const { person } = shared.options
  if (!person) return Promise.resolve(undefined)
  const asked = shared.asking.then(async () => {
    signal.throwIfAborted()
    show(session, { type: 'waiting' })
    await raise(session, 'on_user_input', {}, { signal })
    const stop = stopped(signal)
    return Promise.race([question(person), stop.promise]).finally(stop.clear)
  })
  shared.asking = asked.catch(() => {})
  return asked
}

/** Rejects when the signal aborts, whether or not the person's side notices. */
function stopped(signal: AbortSignal): { promise: Promise<never>; clear(): void } {
  let stop = (): void => {}
  const promise = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  promise.catch(() => {})
  return { promise, clear: () => signal.removeEventListener('abort', stop) }
}
