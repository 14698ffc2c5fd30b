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
    return question(person)
  })
  house.asking = asked.catch(() => {})
  return asked
}
