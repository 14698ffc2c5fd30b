import type { Decision } from '../types.ts'

/** What one session did, as far as these decisions show. */
export interface Session {
  key: string
  /** Null: the agent gave no name to its session. */
  id: string | null
  last: Decision
  count: number
  blocked: number
  asked: number
}

/** The latest first. `decisions` are the newest first. */
export function sessionsIn(decisions: readonly Decision[]): Session[] {
  const found = new Map<string, Session>()
  for (const each of decisions) {
    const key = each.session ?? `${each.host} ${each.project ?? ''}`
    const session = found.get(key) ?? { key, id: each.session, last: each, count: 0, blocked: 0, asked: 0 }
    session.count++
    if (each.mark === 'blocked') session.blocked++
    if (each.mark === 'asked') session.asked++
    found.set(key, session)
  }
  return [...found.values()]
}
