import { type Verdict, withoutTag } from 'hookline/internal'
import type { Person } from '../core/index.ts'
import type { RunEnd } from './agent.ts'
import { add, aside, type Run, raise, type Session, show } from './session.ts'
import { type Place, step } from './steps.ts'

export type { Run } from './session.ts'

/** Thrown to end a run from wherever it is. */
export class RunStop extends Error {
  readonly end: RunEnd
  constructor(reason: string, detail: string) {
    super(detail)
    this.end = { reason, response: '', detail: withoutTag(detail) }
  }
}

export async function raiseError(session: Session, message: string): Promise<void> {
  show(session, { type: 'notice', level: 'error', text: message })
  const notice = { notification_level: 'error', notification_message: message } as const
  await raise(session, 'on_error', notice)
  await raise(session, 'notification', notice)
}

/** Hooks see the text that the user reads in the end. */
export function raiseReply(run: Run, response: string, signal: AbortSignal): Promise<Verdict<'on_response_end'>> {
  const { usage, cost } = run.spent
  const tokens = {
    input: usage.input_tokens ?? 0,
    output: usage.output_tokens ?? 0,
    cache_read: usage.cached_input_tokens ?? 0,
    cache_creation: usage.cached_write_tokens ?? 0,
  }
  const bill = cost === undefined ? {} : { turn_cost_usd: cost }
  const reply = { response, model_id: run.model, tokens, tool_names: run.toolNames, ...bill }
  return raise(run.session, 'on_response_end', reply, { signal })
}

export const halted = (reason: string): RunEnd => ({
  reason: 'halted',
  response: '',
  detail: withoutTag(reason) || 'A hook ended the run.',
})

/** However many hooks there are, an agent is sent back at most this often in a run (Starchild's cap). */
export const mostRedos = 3

/** The instruction when a hook sends the agent back without a reason. */
export const sentBack = 'A check of your answer failed. Look at it again.'

/** Gives the model what the user wrote while it worked. True when there was something. A hook that denies it stops the run. */
export async function drainSteering(run: Run): Promise<boolean> {
  const { session, signal } = run
  // Whoever runs the session again must take the same at the same place.
  const written = await step(session, 'input', 'steering', async () => session.steering.splice(0))
  if (written.length === 0) return false
  const verdict = await raise(session, 'user_steering_messages_submit', { steering_messages: written }, { signal })
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
  /** The call that it is about. */
  place: Place = session.place,
): Promise<T | undefined> {
  const { shared } = session
  const { person } = shared.options
  if (!person) return Promise.resolve(undefined)
  const asked = shared.asking.then(async () => {
    signal.throwIfAborted()
    show(session, { type: 'waiting' })
    await raise(session, 'on_user_input', {}, { signal, place })
    return step(session, 'person', 'person', () => untilAborted(question(person), signal), place)
  })
  shared.asking = asked.catch(() => {})
  return asked
}

/** What the work gives; rejects when the signal aborts, whether or not the other side notices. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stop = stopped(signal)
  return Promise.race([work, stop.promise]).finally(stop.clear)
}

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
