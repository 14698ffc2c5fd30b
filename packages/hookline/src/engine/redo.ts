import type { Event, EventRow, Eventually, Note, Redo, StateStore, Verdict } from '../core/index.ts'
import { isThenable, note, statePlace } from '../core/index.ts'

/** Counts, per session, how often in a row a hook has sent the agent back. The cap itself is in the event's row. */
export interface RedoCounts {
  /** The payload as hooks see it: the row's flag says whether the agent is already working because it was sent back. */
  flagged(row: EventRow, event: Event): Eventually<Event>
  /**
   * A hook can send the agent back only so often in a row: at the cap its deny is dropped, with a note, so that it can
   * never trap a turn. A host that says the agent is not working on a redo (`raised` is the event as it came) starts
   * the count anew.
   */
  cap(verdict: Verdict, redo: Redo, raised: Event): Eventually<Verdict>
}

export function makeRedoCounts(state: StateStore): RedoCounts {
  const placeOf = (event: Event) => statePlace(event, 'redo', event.name)
  return {
    flagged(row, event) {
      const flag = row.redo?.flag
      if (flag === undefined || event.payload[flag] !== undefined) return event
      const withFlag = (count: unknown): Event => ({
        ...event,
        payload: Object.freeze({ ...event.payload, [flag]: numberOf(count) > 0 }),
      })
      // Without a count nothing says that the agent was sent back; the cap has the note.
      return recovering(
        () => state.read(placeOf(event)),
        withFlag,
        () => withFlag(0),
      )
    },

    cap(verdict, redo, raised) {
      const denied = verdict.decision?.ruling === 'deny' && !verdict.halt
      const place = placeOf(raised)
      if (!denied) {
        // Most sessions have no count: then there is nothing to forget, and nothing is written.
        const forget = () => state.update(place, () => undefined)
        const forgetIfAny = (count: unknown) => (count === undefined ? undefined : forget())
        return recovering(
          () => chained(state.read(place), forgetIfAny),
          () => verdict,
          () => verdict,
        )
      }
      let capReached = false
      const count = (current: unknown): number | undefined => {
        const sentBack = raised.payload[redo.flag] === false ? 0 : numberOf(current)
        capReached = sentBack >= redo.cap
        return capReached ? undefined : sentBack + 1
      }
      return recovering(
        () => state.update(place, count),
        () =>
          capReached ? withoutDecision(verdict, note('redo-cap', { ...redo, reason: reasonOf(verdict) })) : verdict,
        (detail) => uncounted(verdict, redo, raised, detail),
      )
    },
  }
}

/**
 * How often the agent was sent back cannot be known. The deny stands, unless the host says that the agent works on a
 * redo already: then the deny is dropped, because nothing else would ever end the round.
 */
function uncounted(verdict: Verdict, redo: Redo, raised: Event, detail: string): Verdict {
  const why = note('state-unavailable', { detail })
  if (raised.payload[redo.flag] === true) return withoutDecision(verdict, why)
  return { ...verdict, notes: [...verdict.notes, why] }
}

function withoutDecision({ decision: _, ...rest }: Verdict, why: Note): Verdict {
  return { ...rest, notes: [...rest.notes, why] }
}

const reasonOf = ({ decision }: Verdict): string => decision?.reason ?? ''

const numberOf = (count: unknown): number => (typeof count === 'number' ? count : 0)

const chained = <T, U>(value: Eventually<T>, next: (value: T) => Eventually<U>): Eventually<U> =>
  isThenable<T>(value) ? value.then(next) : next(value)

/** A store in memory answers at once, and nobody waits for it. */
function recovering<T, U>(
  work: () => Eventually<T>,
  done: (value: T) => U,
  failed: (detail: string) => U,
): Eventually<U> {
  const recover = (error: unknown) => failed(error instanceof Error ? error.message : String(error))
  try {
    const value = work()
    return isThenable<T>(value) ? value.then(done, recover) : done(value)
  } catch (error) {
    return recover(error)
  }
}
