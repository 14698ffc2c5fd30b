/**
 * Where a host was seen to put the question of a hook to its user, and to wait for the answer. What nobody has proved
 * counts as "cannot": hosts run what they do not ask about.
 */
export interface Asking {
  /** The first version in which it was seen; a call that does not say its version counts as older. Absent: it never says it. */
  since?: string
  /** The permission modes in which it was seen. A call without one is in none of them. Absent: its payloads name no mode. */
  modes?: readonly string[]
  /** The variable by which it lets its hooks know whether somebody sits at it, and its value then. Absent: it does not. */
  attended?: { variable: string; is: string }
}

/** All that decides whether a host can ask about one call. */
export interface AskedAbout {
  version: string | undefined
  payload: Readonly<Record<string, unknown>>
  env: Readonly<Record<string, string | undefined>>
}

export function canAsk(asking: Asking | false, { version, payload, env }: AskedAbout): boolean {
  if (!asking || !asksInMode(asking, payload)) return false
  const { since, attended } = asking
  if (attended && env[attended.variable] !== attended.is) return false
  return since === undefined || (version !== undefined && isSince(version, since))
}

/** The part of it that the payload decides. */
export function asksInMode(asking: Asking | false, { permission_mode: mode }: AskedAbout['payload']): boolean {
  return asking !== false && (asking.modes === undefined || asking.modes.includes(String(mode)))
}

/** `2.1.325` is since `2.1.9`. What is no number is older than any. */
function isSince(version: string, first: string): boolean {
  const [own, wanted] = [version, first].map((each) => each.split('.').map((part) => Number.parseInt(part, 10) || 0))
  for (let at = 0; at < Math.max(own!.length, wanted!.length); at++) {
    const difference = (own![at] ?? 0) - (wanted![at] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return true
}
