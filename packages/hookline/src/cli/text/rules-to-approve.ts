import { type Hook, type NamedRule, printable } from '../../core/index.ts'
import { type Approvable, type Inspection, runOf } from '../../trust/index.ts'
import { rulesIn } from '../cases/rules.ts'
import { columns, indent, wrap } from './layout.ts'
import type { Paint } from './paint.ts'
import { describeRule, describeTarget, rulingOfEntry, showRuling } from './rules.ts'

/** Every rule in a line: those that hold already, what waits for the approval, and which words the model reads from then on. */
export function showRulesToApprove(
  inspection: Inspection<Approvable>,
  hook: Hook,
  paint: Paint,
  width: number,
): string[] {
  const all = rulesIn(hook)
  const held = heldOf(inspection, hook)
  const waiting = all.flatMap((rule) => waitingOf(rule, held.get(rule.id)))
  const holding = all.flatMap((rule) => held.get(rule.id) ?? [])
  const words = all.filter((rule) => textOf(rule) !== '')
  const isHidden = inspection.state !== 'approved' && inspection.state !== 'vouched' && hook.origin.ours === undefined
  const table = (parts: readonly Part[]) => showTable(parts, hook, paint, width)
  return [
    ...section('Holds already, without approval:', table(holding.map((rule) => ({ rule, what: describeRule(rule) })))),
    ...section(holding.length > 0 ? 'Holds once you approve it:' : 'Rules:', table(waiting)),
    ...section(
      'The model reads these words once you approve them; until then only you do:',
      isHidden ? words.flatMap((rule) => wrap(`${printable(rule.id)}: ${textOf(rule)}`, width - 2)) : [],
    ),
  ]
}

/** Which rules came and went since the last approval, each in a line. */
export function changedRules({ earlier, changes }: Inspection<Approvable>, hook: Hook): readonly string[] {
  // Of a bundle of ours, what was chosen is approved, not the rules that it holds today.
  if (hook.origin.ours) return changes
  const run = earlier ? runOf(earlier.subject) : {}
  const [before, after] = [rulesIn({ ...hook, run: { type: '', ...run } }), rulesIn(hook)].map((rules) =>
    rules.map((rule) => printable([rule.id, rulingOfEntry(rule), describeRule(rule), textOf(rule)].join('  ').trim())),
  ) as [string[], string[]]
  const lines = [
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
  ]
  return lines.length > 0 ? lines : changes
}

interface Part {
  rule: NamedRule
  what: string
}

/** The rules that count as things are, as they count. */
function heldOf({ state, part }: Inspection<Approvable>, hook: Hook): ReadonlyMap<string, NamedRule> {
  if (state !== 'holds' || !part) return new Map()
  const rules = rulesIn({ ...hook, run: { ...hook.run, ...part.run } })
  return new Map(rules.map((rule) => [rule.id, rule]))
}

function waitingOf(rule: NamedRule, held: NamedRule | undefined): Part[] {
  if (!held) return [{ rule, what: describeRule(rule) }]
  return rule.except && !held.except ? [{ rule, what: `except ${describeTarget(rule.except)}` }] : []
}

function showTable(parts: readonly Part[], { origin }: Hook, paint: Paint, width: number): string[] {
  const rows = parts.map(({ rule, what }) => {
    const where = origin.places?.[rule.id] ?? origin.where
    return [
      showRuling(rulingOfEntry(rule), paint),
      paint.bold(printable(rule.id)),
      paint.dim(printable(where?.line === undefined ? '' : `line ${where.line}`)),
      what,
    ]
  })
  return columns(rows, width - 2)
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', title, ...indent(lines, 2)]

const textOf = ({ because, instead }: NamedRule): string =>
  printable([because, instead].filter((text) => text !== undefined).join(' '))
