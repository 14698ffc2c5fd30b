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
    return Promise.race([question(person), stopped(signal)])
  })
  house.asking = asked.catch(() => {})
  return asked
}

/** Whoever is asked need not notice that nobody wants the answer any more. */
function stopped(signal: AbortSignal): Promise<never> {
  const rejected = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  rejected.catch(() => {})
  return rejected
}
