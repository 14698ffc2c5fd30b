import type { Boundary, Durable } from '../core/index.ts'

/**
 * Where in a session something happens: a turn, or one call of it. Calls of a batch run side by side in any order, so each counts
 * for itself; that makes keys the same when the session is run again from its beginning.
 */
export interface Place {
  readonly name: string
  /** How often something of a name has happened here. */
  readonly times: Map<string, number>
}

/** What of a session keys are made of. */
interface Keyed {
  readonly id: string
  readonly log: Durable | undefined
  turns: number
  /** How often it was resumed before. */
  resumed: number
  place: Place
}

export const makePlace = (...parts: readonly (string | number)[]): Place => ({
  name: parts.join('/'),
  times: new Map(),
})

/** The number of a turn; the turns of a resumed session are others than those before. */
export const turnName = ({ resumed, turns }: Pick<Keyed, 'resumed' | 'turns'>): string =>
  resumed === 0 ? String(turns) : `${resumed}.${turns}`

/** One call of this turn, or a part of it. */
export const placeOf = (session: Keyed, ...parts: readonly string[]): Place => makePlace(turnName(session), ...parts)

/** `3/call_7/pre_tool_use`; whatever happens again at its place gets a number. */
export function keyAt({ name: place, times }: Place, name: string): string {
  const time = (times.get(name) ?? 0) + 1
  times.set(name, time)
  return `${place}/${name}${time === 1 ? '' : `#${time}`}`
}

/** One step of a turn, in whatever way the session is kept. Steps never contain others. */
export function step<T>(
  session: Keyed,
  kind: Boundary['kind'],
  name: string,
  run: () => Promise<T>,
  place: Place = session.place,
  more: Pick<Boundary, 'unsure' | 'kept'> = {},
): Promise<T> {
  const { log } = session
  if (!log?.step) return run()
  return log.step({ kind, session: session.id, key: keyAt(place, name), ...more }, run)
}
