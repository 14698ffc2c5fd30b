import { type Decision, joinReasons, rulings } from '../../core/index.ts'

/** Of two decisions in one reply, the stricter; a reason that is given twice is said once. */
export function stricter(one: Decision | undefined, other: Decision | undefined): Decision | undefined {
  if (!one || !other) return one ?? other
  const difference = rulings.indexOf(other.ruling) - rulings.indexOf(one.ruling)
  if (difference !== 0) return difference > 0 ? other : one
  return one.reason === other.reason ? one : { ...one, reason: joinReasons(one.reason, other.reason) }
}
