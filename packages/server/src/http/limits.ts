import { refuse } from './problem.ts'

/** So many at once, and so many more each second. */
export interface Allowance {
  burst: number
  perSecond: number
}

export interface Limiter {
  /** Throws when this one has used up what it may. */
  spend(who: string, cost?: number): void
}

/** What is used is forgotten once it is allowed again, so that strangers cannot fill the memory. */
const mostRemembered = 10_000

export function makeLimiter({ burst, perSecond }: Allowance, now = () => Date.now()): Limiter {
  const used = new Map<string, { left: number; at: number }>()
  return {
    spend(who, cost = 1) {
      const time = now()
      const before = used.get(who) ?? { left: burst, at: time }
      const left = Math.min(burst, before.left + ((time - before.at) / 1000) * perSecond)
      used.delete(who)
      used.set(who, { left: Math.max(0, left - cost), at: time })
      if (used.size > mostRemembered) used.delete(used.keys().next().value!)
      if (left >= cost) return
      const seconds = Math.max(1, Math.ceil((cost - left) / perSecond))
      throw refuse(429, 'request-too-many', { seconds }, { 'retry-after': String(seconds) })
    },
  }
}

export interface Limits {
  attempts: Limiter
  changes: Limiter
  reads: Limiter
}

/** Guessing is slow, changing is calm, reading is free. Only wrong guesses count: nobody locks others out. */
export const makeLimits = (): Limits => ({
  attempts: makeLimiter({ burst: 10, perSecond: 1 / 6 }),
  changes: makeLimiter({ burst: 60, perSecond: 5 }),
  reads: makeLimiter({ burst: 4_000, perSecond: 2_000 }),
})
