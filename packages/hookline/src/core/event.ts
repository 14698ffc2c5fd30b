import type { EventName, Payload } from './events.ts'

/** One moment raised by a host. The payload is frozen: hooks share it. */
export interface Event<E extends EventName = EventName> {
  readonly name: E
  readonly payload: Readonly<Payload<E>> & Readonly<Record<string, unknown>>
  /** How many hooks deep this was raised: 0 by a host, 1 by the work of a hook, … */
  readonly depth: number
  /** Raised by `doctor`, `test` or `explain`, not by life. */
  readonly synthetic: boolean
  /** The system of the host that raised it, when it was not in our own words: its tools keep their names. */
  readonly host?: string
}
