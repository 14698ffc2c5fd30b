import type { Event } from './events.ts'
import type { Eventually } from './timing.ts'

/** Where one value is kept: in a session, for whoever counts there (a builtin, the engine), under a key. */
export interface StatePlace {
  session: string
  scope: string
  key: string
  /** The session is forgotten after this long without a change. Absent: after `forgetAfterMs`. */
  quietMs?: number
}

/**
 * What hooks and the engine remember between events: counters, redo caps, budgets. Values are plain JSON. A store that
 * cannot read or write throws, and never waits for ever: whoever counts then fails, and its failure policy decides.
 */
export interface StateStore {
  read(place: StatePlace): Eventually<unknown>
  /**
   * Changes one value: no other change of it, in this process or another, comes in between. `undefined` removes it; the
   * value it was given, unchanged, writes nothing. Gives back the new value.
   */
  update(place: StatePlace, change: (current: unknown) => unknown): Eventually<unknown>
}

const day = 24 * 60 * 60 * 1_000

/** A session that nothing has changed for this long is over. */
export const forgetAfterMs = 7 * day

/** Events without a session id count by directory; after this long without one, the next begins a new session. */
const directoryQuietMs = day / 24

export function statePlace({ payload }: Pick<Event, 'payload'>, scope: string, key: string): StatePlace {
  const { session_id: session, cwd } = payload as { session_id?: unknown; cwd?: unknown }
  if (session !== undefined && session !== null && session !== '') return { session: String(session), scope, key }
  return { session: `in ${String(cwd ?? '')}`, scope, key, quietMs: directoryQuietMs }
}

/** As many sessions as one process is likely to see at once; the one that was quiet for longest is forgotten. */
const mostSessions = 10_000

/** For a process that lives as long as its sessions. Answers at once. */
export function memoryState(): StateStore {
  const sessions = new Map<string, { values: Map<string, unknown>; changedAt: number }>()

  function valuesOf({ session, quietMs = forgetAfterMs }: StatePlace): Map<string, unknown> | undefined {
    const known = sessions.get(session)
    if (!known) return undefined
    if (Date.now() - known.changedAt < quietMs) return known.values
    sessions.delete(session)
    return undefined
  }

  return {
    read: (place) => valuesOf(place)?.get(nameOf(place)),
    update(place, change) {
      const values = valuesOf(place) ?? new Map<string, unknown>()
      const current = values.get(nameOf(place))
      const value = change(current)
      if (value === current) return value
      if (value === undefined) values.delete(nameOf(place))
      else values.set(nameOf(place), value)
      sessions.delete(place.session)
      if (values.size > 0) sessions.set(place.session, { values, changedAt: Date.now() })
      if (sessions.size > mostSessions) sessions.delete(sessions.keys().next().value!)
      return value
    },
  }
}

/** One name for scope and key, which no property of an object has by itself. */
export const nameOf = ({ scope, key }: Pick<StatePlace, 'scope' | 'key'>): string => `${scope}\0${key}`
