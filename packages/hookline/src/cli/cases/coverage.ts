import type { Hook, MatchTest } from '../../core/index.ts'
import type { Explained } from '../text/explanation.ts'

/** One test of a matcher that no case has seen pass, or none refuse. */
export interface Gap {
  hook: Hook
  test: MatchTest
  never: 'passes' | 'refuses'
}

export interface Coverage {
  /** Of all hooks and all tests of matchers, how much was exercised; 100 when there is nothing to exercise. */
  percent: number
  hooks: { asked: Hook[]; never: Hook[] }
  /** Tests of matchers that were seen both ways, and those that were not. */
  tests: { both: number; gaps: Gap[] }
}

/** Counts, over all cases, which hooks ran and what each test of a matcher found. */
export interface Tally {
  see(explained: readonly Explained[], asked: ReadonlySet<string>): void
  sum(hooks: readonly Hook[]): Coverage
}

export function makeTally(): Tally {
  const asked = new Set<string>()
  const seen = new Map<string, Set<boolean>>()
  const key = (hook: Hook, at: number) => `${keyOf(hook)}\0${at}`
  return {
    see(explained, now) {
      for (const { hook, tests } of explained) {
        if (now.has(hook.id)) asked.add(keyOf(hook))
        for (const [at, { passes }] of tests.entries())
          seen.set(key(hook, at), (seen.get(key(hook, at)) ?? new Set()).add(passes))
      }
    },
    sum(all) {
      const hooks = [...new Map(all.map((hook) => [keyOf(hook), hook])).values()].filter(({ enabled }) => enabled)
      const gaps: Gap[] = []
      let both = 0
      for (const hook of hooks)
        for (const [at, test] of hook.matcher.entries()) {
          if ('any' in test.test) continue
          const answers = seen.get(key(hook, at)) ?? new Set()
          if (answers.size === 2) both++
          else gaps.push({ hook, test, never: answers.has(true) ? 'refuses' : 'passes' })
        }
      const known = hooks.filter((hook) => asked.has(keyOf(hook)))
      const [done, of] = [known.length + both, hooks.length + both + gaps.length]
      return {
        percent: of === 0 ? 100 : Math.floor((done / of) * 100),
        hooks: { asked: known, never: hooks.filter((hook) => !asked.has(keyOf(hook))) },
        tests: { both, gaps },
      }
    },
  }
}

/** The same hook may be loaded for several files of cases. */
const keyOf = ({ id, origin }: Hook): string => `${id}\0${origin.where?.file ?? ''}`
