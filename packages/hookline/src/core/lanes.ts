import type { Dialect } from './dialect.ts'
import { type EventName, eventNames, eventRow } from './events.ts'

/**
 * The events whose hooks run for one payload of a host, in order; `event` is one of them. Beside the lanes that a system
 * has of its own, these are events of the same moment that it does not raise: without them, a guard on `tool_guard` or
 * what redacts results would never run there.
 */
export function lanesOf({ events, lanes }: Pick<Dialect, 'events' | 'lanes'>, event: EventName): readonly EventName[] {
  const own = lanes?.[event]
  const { before, after } = joined(event)
  const isMissing = (name: EventName) => events[name] === undefined && name !== own
  return [...(own ? [own] : []), ...before.filter(isMissing), event, ...after.filter(isMissing)]
}

/** The event with whose payload a system runs hooks of this one. */
export function carrierOf(dialect: Pick<Dialect, 'events' | 'lanes'>, event: EventName): EventName {
  if (dialect.events[event] !== undefined) return event
  const carriers = Object.keys(eventRow(event).within ?? {}) as EventName[]
  return carriers.find((each) => lanesOf(dialect, each).includes(event)) ?? event
}

interface Joined {
  before: readonly EventName[]
  after: readonly EventName[]
}

const known = new Map<EventName, Joined>()

function joined(event: EventName): Joined {
  const made = known.get(event)
  if (made) return made
  const at = (place: 'before' | 'after') => eventNames.filter((name) => eventRow(name).within?.[event] === place)
  const found = { before: at('before'), after: at('after') }
  known.set(event, found)
  return found
}
