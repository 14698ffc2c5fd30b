import { type ActionKind, actionKinds, type NamedRule, type RuleTarget, type Ruling, rulingOf } from '../core/index.ts'
import { type Condition, endOf, parseCondition } from './conditions.ts'
import { type Compiling, compileTarget, type PatternProblem, type Target } from './target.ts'

/** A rule, ready to judge. */
export interface CompiledRule {
  rule: NamedRule
  ruling: Ruling
  target: Target
  except?: Target
  holds?: Condition
  /** What must have happened earlier in the session, and the name under which it is remembered. */
  after?: { target: Target | 'secret' | 'web'; key: string }
  /** From then on it does not count. */
  ends?: number
  /** The kinds of actions that can match it, as bits; all, where it is about the call. */
  kinds: number
}

/** Kinds of actions as bits, so that rules about others are passed over at once. */
const bits = Object.fromEntries(actionKinds.map((kind, at) => [kind, 1 << at])) as Record<ActionKind, number>
export const bitOf = (kind: ActionKind): number => bits[kind]

/** Rules that can be judged, found by what they are about. */
export interface CompiledRules {
  rules: readonly CompiledRule[]
  /** Rules that are about commands of one program and nothing else. */
  byProgram: ReadonlyMap<string, readonly number[]>
  /** All other rules about calls. */
  others: readonly number[]
  allows: readonly CompiledRule[]
}

export interface RuleProblem extends PatternProblem {
  rule: NamedRule
}

export function compileRules(
  rules: readonly NamedRule[],
  using: Compiling,
): CompiledRules & { problems: RuleProblem[] } {
  const problems: RuleProblem[] = []
  const compiled = rules.map((rule) => compileRule(rule, using, problems))
  const byProgram = new Map<string, number[]>()
  const others: number[] = []
  for (const [index, { ruling, target }] of compiled.entries()) {
    if (ruling === 'allow') continue
    const programs = programsOf(target)
    if (!programs) others.push(index)
    else for (const program of programs) byProgram.set(program, [...(byProgram.get(program) ?? []), index])
  }
  return { rules: compiled, byProgram, others, allows: compiled.filter(({ ruling }) => ruling === 'allow'), problems }
}

function compileRule(rule: NamedRule, using: Compiling, problems: RuleProblem[]): CompiledRule {
  const { ruling, target: given } = rulingOf(rule)
  const report = (more: readonly PatternProblem[], key: string) =>
    problems.push(...more.map((problem) => ({ ...problem, key: `${key}.${problem.key}`, rule })))
  const part = (target: RuleTarget, key: string, strictly = false): Target => {
    const compiled = compileTarget(target, using, strictly)
    report(compiled.problems, key)
    return compiled.target
  }
  const condition = rule.when && parseCondition(rule.when)
  if (condition && !condition.ok) report([{ key: 'time', pattern: '', ...condition }], 'when')
  const ends = rule.until === undefined ? undefined : endOf(rule.until)
  if (rule.until !== undefined && ends === undefined)
    problems.push({ rule, key: 'until', pattern: rule.until, detail: 'is no date', fix: 'Write it as `2027-01-31`.' })
  const after = rule.when?.after
  const target = part(given, ruling, ruling === 'allow')
  return {
    rule,
    ruling,
    target,
    kinds: kindsOf(target),
    ...(rule.except && { except: part(rule.except, 'except', ruling !== 'allow') }),
    ...(condition?.ok && { holds: condition.holds }),
    ...(after !== undefined && {
      after: { target: typeof after === 'string' ? after : part(after, 'when.after'), key: JSON.stringify(after) },
    }),
    ...(ends !== undefined && { ends }),
  }
}

/** The programs it is about, where it is about nothing else. */
function programsOf(target: Target): Set<string> | undefined {
  const { run, read, write, delete: removed, fetch, send, spawn, call } = target
  const more = read.length + write.length + removed.length + fetch.length + send.length + spawn.length + call.length
  if (more > 0 || run.length === 0 || run.some(({ name }) => name === undefined)) return undefined
  return new Set(run.map(({ name }) => name as string))
}

function kindsOf(target: Target): number {
  if (!target.hasActions) return -1
  let found = target.write.length > 0 ? bitOf('delete') : 0
  for (const kind of actionKinds) if (target[kind].length > 0) found |= bitOf(kind)
  return found
}
