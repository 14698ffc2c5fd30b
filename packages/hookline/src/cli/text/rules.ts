import {
  actionKinds,
  printable,
  type RuleCondition,
  type RuleEntry,
  type RuleTarget,
  type Ruling,
  rulings,
} from '../../core/index.ts'
import { quoteWord } from '../../shell/index.ts'
import type { Paint } from './paint.ts'

/** Each decision has a symbol and a word; colour alone means nothing. */
export const ruleSymbols: Record<Ruling, { symbol: string; colour: 'red' | 'yellow' | 'green' }> = {
  deny: { symbol: '✗', colour: 'red' },
  ask: { symbol: '?', colour: 'yellow' },
  allow: { symbol: '✓', colour: 'green' },
}

export const rulingOfEntry = (rule: RuleEntry): Ruling => rulings.find((ruling) => rule[ruling] !== undefined) ?? 'deny'

export function showRuling(ruling: Ruling, paint: Paint): string {
  const { symbol, colour } = ruleSymbols[ruling]
  return paint[colour](`${symbol} ${ruling}`)
}

/** What a rule is about, in one line: `run git push --force`, `read ~/.ssh/**, **\/.env*`. */
export function describeTarget(target: RuleTarget): string {
  const kinds = [...actionKinds, 'tool', 'prompt'] as const
  const parts = kinds.flatMap((kind) =>
    target[kind] === undefined ? [] : [`${kind} ${[target[kind]].flat().join(', ')}`],
  )
  const tests = Object.entries(target.where ?? {}).map(([name, test]) => `${name} ${JSON.stringify(test)}`)
  return printable([parts.join(' or '), ...(tests.length > 0 ? [`where ${tests.join(' and ')}`] : [])].join(' '))
}

export function describeRule(rule: RuleEntry): string {
  const ruling = rulingOfEntry(rule)
  const except = rule.except ? `, except ${describeTarget(rule.except)}` : ''
  const when = rule.when ? `, ${describeCondition(rule.when)}` : ''
  const until = rule.until === undefined ? '' : `, until ${printable(rule.until)}`
  const more = `${unreadable[rule.unknown ?? 'ask']}${rule.mode === 'shadow' ? ', only reported (shadow)' : ''}`
  return `${describeTarget(rule[ruling] ?? {})}${except}${when}${until}${more}`
}

/** Under which conditions a rule counts: `on branch main, with uncommitted changes`. */
const describeCondition = (when: RuleCondition): string =>
  (Object.keys(conditions) as (keyof RuleCondition)[])
    .flatMap((key) => (when[key] === undefined ? [] : [printable(conditions[key](when[key] as never))]))
    .join(', ')

const conditions: { [K in keyof Required<RuleCondition>]: (value: NonNullable<RuleCondition[K]>) => string } = {
  agent: (names) => `for agent ${either(names)}`,
  host: (names) => `in ${either(names)}`,
  branch: (names) => `on branch ${either(names)}`,
  remote: (names) => `with remote ${either(names)}`,
  dirty: (is) => (is ? 'with uncommitted changes' : 'without uncommitted changes'),
  permission_mode: (names) => `in permission mode ${either(names)}`,
  subagent: (is) => (is ? 'in sub-agents' : 'not in sub-agents'),
  principal: (names) => `for ${either(names)}`,
  tenant: (names) => `for tenant ${either(names)}`,
  time: (times) => `at ${either(times)}`,
  after: (what) => `after ${typeof what === 'string' ? earlier[what] : describeTarget(what)}`,
}

const earlier = { secret: 'a secret was read', web: 'a web page was read' }
const either = (names: string | readonly string[]): string => [names].flat().join(' or ')

/** What becomes of a call that cannot be read far enough to tell; that one is asked about goes without saying. */
const unreadable: Record<NonNullable<RuleEntry['unknown']>, string> = {
  ask: '',
  deny: ', also when it cannot be told',
  pass: ', only when it is certain',
}

/** `✗ deny  run git push --force` */
export const showRule = (rule: RuleEntry, paint: Paint): string =>
  `${showRuling(rulingOfEntry(rule), paint)}  ${describeRule(rule)}`

/** The command line that adds this rule, where one can say it. */
export function commandFor(rule: RuleEntry): string {
  const ruling = rulingOfEntry(rule)
  const { run, where: _where, ...others } = rule[ruling] ?? {}
  const words = [run ?? []].flat().map((command) => JSON.stringify(command))
  const options = Object.entries(others).flatMap(([kind, values]) =>
    [values as string | string[]].flat().map((value) => `--${kind} ${quoteWord(value)}`),
  )
  return ['hookline', ruling, ...words, ...options].join(' ')
}
