import type { Dialect, Event, EventName, Payload } from '../core/index.ts'
import {
  didYouMean,
  eventNamed,
  eventNames,
  eventRow,
  events,
  formatPath,
  HooklineError,
  note,
  validate,
} from '../core/index.ts'
import type { HookIndex } from '../engine/index.ts'

/** An event as the engine takes it, or an error that says what does not fit. */
export function makeEvent<E extends EventName>(
  index: HookIndex,
  name: E,
  payload: Payload<E>,
  depth: number,
  synthetic: boolean,
): Event {
  if (!Object.hasOwn(events, name))
    throw new HooklineError(
      note('unknown-event', { event: name, hint: didYouMean(name, eventNames), known: eventNames.join(', ') }),
    )
  if (index.byEvent.has(name)) checkPayload(name, payload)
  return { name, payload, depth, synthetic } as unknown as Event
}

/** A payload that does not fit would slip past matchers and guards: it is refused, not guessed at. */
function checkPayload(name: EventName, payload: unknown): void {
  const row = eventRow(name)
  if (row.plainlyFits(payload)) return
  const checked = validate(row.payload, payload)
  if (checked.ok) return
  const [first] = checked.problems
  throw new HooklineError(
    note('payload-invalid', {
      event: name,
      path: formatPath(first?.path ?? []) || 'payload',
      detail: first?.detail ?? '',
    }),
  )
}

/** Our name for an event of that system. */
export function eventOf(dialect: Dialect, name: string): EventName {
  const found = eventNamed(dialect, name)
  if (found) return found
  const known = Object.values(dialect.events)
  throw new HooklineError(
    note('unknown-event', { event: name, hint: didYouMean(name, known), known: known.join(', ') }),
  )
}
