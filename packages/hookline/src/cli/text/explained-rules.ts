import { printable } from '../../core/index.ts'
import type { ExplainedRule, Foreseen } from '../rules/explain-rules.ts'
import { placeOfRule } from '../rules/explain-rules.ts'
import { columns, count, indent, wrap } from './layout.ts'
import type { Paint } from './paint.ts'
import { describeRule, ruleSymbols, showRuling } from './rules.ts'

/** What matches, in config order; the others only by name. */
export function ruleLines(rules: readonly ExplainedRule[], paint: Paint, width: number): string[] {
  const rows = rules
    .filter(({ match }) => match !== 'none')
    .map((each) => [
      showRuling(each.unsure ? 'ask' : each.ruling, paint),
      paint.bold(printable(each.rule.id)),
      paint.dim(printable(placeOfRule(each))),
      [describeRule(each.rule), ...remarksOn(each).map((remark) => paint.dim(`(${remark})`))].join('  '),
    ])
  const others = rules.filter(({ match }) => match === 'none').map(({ rule }) => printable(rule.id))
  const title =
    rows.length === 0
      ? `${count(others.length, 'rule')}, none matches`
      : `${others.length} more ${others.length === 1 ? 'does' : 'do'} not match`
  const [first = '', ...rest] = wrap(`${title}: ${others.join(', ')}`, Math.min(width, 120) - 2)
  return [...columns(rows, width), ...(others.length === 0 ? [] : [`· ${first}`, ...indent(rest, 2)].map(paint.dim))]
}

function remarksOn({ match, ruling, unsure }: ExplainedRule): string[] {
  if (match === 'waits') return ['does not count before you approve it: hookline approve']
  return [
    ...(unsure ? [`may match, so it asks in place of a ${ruling}`] : []),
    ...(match === 'overruled' ? ['a stronger rule decides'] : []),
  ]
}

/** Hooks that no one can foresee: those that would run, and those that block because they may not. */
export interface Unforeseen {
  running: number
  blocking: readonly string[]
}

export function verdictLines(
  foreseen: Foreseen | undefined,
  { running, blocking }: Unforeseen,
  paint: Paint,
  width: number,
): string[] {
  const decision = foreseen?.verdict.decision
  const title = paint.bold('Verdict')
  const under = (text: string) =>
    indent(
      text.split('\n').flatMap((line) => wrap(printable(line), width - 10)),
      10,
    )
  const more = running === 0 ? [] : [`${count(running, 'more hook')} would run; add --run to see what they decide.`]
  if (decision?.ruling !== 'deny' && blocking.length > 0)
    return [
      '',
      `${title}   ${paint.red('✗ blocked')}: ${blocking.map(paint.bold).join(', ')} must run first, and ${blocking.length === 1 ? 'is' : 'are'} not approved.`,
      ...under('See what would run, and approve it: hookline approve'),
    ]
  if (!foreseen || !decision) return ['', `${title}   · nothing objects.`, ...more.flatMap(under)]
  const { symbol, colour } = ruleSymbols[decision.ruling]
  const words = { deny: 'blocked by', ask: 'you are asked, because of', allow: 'allowed by' }[decision.ruling]
  const [first = 'a hook', ...rest] = foreseen.by.map(printable)
  const beside = rest.length > 0 ? ` (the first of ${rest.length + 1}, in config order)` : ''
  return [
    '',
    `${title}   ${paint[colour](`${symbol} ${words}`)} ${paint.bold(first)}${beside}.`,
    ...under(foreseen.approvedReason ?? decision.reason),
    ...(foreseen.approvedReason === undefined
      ? []
      : under('Before you approve the file, the model reads only which line of it decides.').map(paint.dim)),
    ...(decision.ruling === 'deny' ? [] : more.flatMap(under)),
  ]
}
