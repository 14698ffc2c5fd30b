import type { Event, EventRow, Redo, Verdict } from '../core/index.ts'
import { note } from '../core/index.ts'

/** Counts, per session, how often in a row a hook has sent the agent back. */
export interface RedoCounts {
  of(event: Event): number
  set(event: Event, count: number): void
  /** The payload as hooks see it: the row's flag says whether the agent is already working because it was sent back. */
  flagged(row: EventRow, event: Event): Event
}

/** More sessions than this never wait for a redo at once; the oldest is forgotten first. */
const sessionLimit = 10_000

export function makeRedoCounts(): RedoCounts {
  const counts = new Map<string, number>()
  const key = (event: Event) => `${event.name}\0${String(event.payload.session_id)}`
  const of = (event: Event) => counts.get(key(event)) ?? 0
  return {
    of,
    set(event, count) {
      counts.delete(key(event))
      if (count > 0) counts.set(key(event), count)
      if (counts.size > sessionLimit) counts.delete(counts.keys().next().value!)
    },
    flagged(row, event) {
      const flag = row.redo?.flag
      if (flag === undefined || event.payload[flag] !== undefined) return event
      return { ...event, payload: Object.freeze({ ...event.payload, [flag]: of(event) > 0 }) }
    },
  }
}

/**
 * A hook can send the agent back only so often in a row: at the cap its deny is dropped, with a note, so that it can
 * never trap a turn. A host that says the agent is not working on a redo starts the count anew.
 */
export function capRedo(verdict: Verdict, redo: Redo, event: Event, counts: RedoCounts): Verdict {
  const sentBack = event.payload[redo.flag] === false ? 0 : counts.of(event)
  const denied = verdict.decision?.ruling === 'deny' && !verdict.halt
  if (!denied) {
    counts.set(event, 0)
    return verdict
  }
  if (sentBack < redo.cap) {
    counts.set(event, sentBack + 1)
    return verdict
  }
  counts.set(event, 0)
  const { decision, ...rest } = verdict
  return {
    ...rest,
    notes: [...verdict.notes, note('redo-cap', { cap: redo.cap, flag: redo.flag, reason: decision?.reason ?? '' })],
  }
}
