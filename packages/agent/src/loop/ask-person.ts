import type { Person } from '../person.ts'
import { type Session, show, tell } from './session.ts'

/** Asks the person, one question at a time; undefined when nobody is there. */
export function askPerson<T>(
  session: Session,
  signal: AbortSignal,
  question: (person: Person) => Promise<T>,
): Promise<T | undefined> {
  const { house } = session
  const { person } = house.options
  if (!person) return Promise.resolve(undefined)
  const asked = house.asking.then(async () => {
    signal.throwIfAborted()
    show(session, { type: 'waiting' })
    await tell(session, 'on_user_input', {}, { signal })
    const stop = stopped(signal)
    return Promise.race([question(person), stop.promise]).finally(stop.clear)
  })
  house.asking = asked.catch(() => {})
  return asked
}

/** Whoever is asked need not notice that nobody wants the answer any more. */
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
