import type { Hook, MatchTest, Report } from '../../core/index.ts'
import type { Explained } from '../text/explanation.ts'
import { isOfRules, keyOf as keyOfRule, type PlacedRule, rulesOf } from './rules.ts'

/** One test of a matcher that no case has seen pass, or none refuse. */
export interface Gap {
  hook: Hook
  test: MatchTest
  never: 'passes' | 'refuses'
}

export interface Coverage {
  /** Of all hooks, rules and tests of matchers, how much was exercised; 100 when there is nothing to exercise. */
  percent: number
  /** Those that are made of rules are counted by their rules. */
  hooks: { asked: Hook[]; never: Hook[] }
  /** Rules that matched something, and those that did not. */
  rules: { matched: PlacedRule[]; never: PlacedRule[] }
  /** Tests of matchers that were seen both ways, and those that were not. */
  tests: { both: number; gaps: Gap[] }
}

/** Counts, over all cases, which hooks ran and what each test of a matcher found. */
export interface Tally {
  see(explained: readonly Explained[], ran: readonly Report[]): void
  sum(hooks: readonly Hook[]): Coverage
}

export function makeTally(): Tally {
  const asked = new Set<string>()
  const matched = new Set<string>()
  const seen = new Map<string, Set<boolean>>()
  const key = (hook: Hook, at: number) => `${keyOf(hook)}\0${at}`
  return {
    see(explained, ran) {
      for (const { hook, tests } of explained) {
        const own = ran.filter((report) => report.hook === hook.id)
        if (own.length > 0) asked.add(keyOf(hook))
        for (const rule of own.flatMap(({ rules = [] }) => rules)) matched.add(keyOfRule(hook, rule))
        for (const [at, { passes }] of tests.entries())
          seen.set(key(hook, at), (seen.get(key(hook, at)) ?? new Set()).add(passes))
      }
    },
    sum(all) {
      const enabled = [...new Map(all.map((hook) => [keyOf(hook), hook])).values()].filter((hook) => hook.enabled)
      const hooks = enabled.filter((hook) => !isOfRules(hook))
      // A rule in shadow decides nothing that a case could expect.
      const rules = rulesOf(enabled).filter(({ rule }) => rule.mode !== 'shadow')
      const [met, never] = [rules.filter(({ key }) => matched.has(key)), rules.filter(({ key }) => !matched.has(key))]
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
      const done = known.length + met.length + both
      const of = hooks.length + rules.length + both + gaps.length
      return {
        percent: of === 0 ? 100 : Math.floor((done / of) * 100),
        hooks: { asked: known, never: hooks.filter((hook) => !asked.has(keyOf(hook))) },
        rules: { matched: met, never },
        tests: { both, gaps },
      }
    },
  }
}

/** The same hook may be loaded for several files of cases. */
const keyOf = ({ id, origin }: Hook): string => `${id}\0${origin.where?.file ?? ''}`
