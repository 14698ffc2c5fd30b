import { type EventName, type Note, note } from '../../core/index.ts'
import { eventFinder, unknownEvent } from './reading.ts'

/** How a system names the event in its payloads. */
export interface Naming {
  dialect: string
  /** The key of the payload that names the event. */
  field: string
  names: Partial<Record<EventName, string>>
}

export type NamedEvent = { ok: true; event: EventName } | { ok: false; problem: Note }

/** Which event a payload is of. It may be named twice, by the payload and by the caller, but not differently. */
export function namedEvent({ dialect, field, names }: Naming): (own: unknown, named?: EventName) => NamedEvent {
  const find = eventFinder(names)
  const known = Object.values(names)
  const invalid = (detail: string): NamedEvent => ({
    ok: false,
    problem: note('payload-invalid', { event: dialect, path: field, detail }),
  })
  return (own, named) => {
    if (own !== undefined && own !== null && typeof own !== 'string') return invalid('must be a string')
    const found = own ? find(own) : undefined
    if (own && !found) return { ok: false, problem: unknownEvent(own, known) }
    const event = found ?? named
    if (event === undefined) return invalid('is missing, so it is not known which event this is')
    if (names[event] === undefined) return { ok: false, problem: unknownEvent(event, known) }
    if (named !== undefined && named !== event) return invalid(`is ${own}, but ${names[named] ?? named} was raised`)
    return { ok: true, event }
  }
}
