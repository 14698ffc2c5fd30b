import { formatWhere, type Hook, isRecord, type NamedRule, type Verdict, type Where } from '../../core/index.ts'

/** A rule that a hook is made of, and where it is written. */
export interface PlacedRule {
  rule: NamedRule
  /** What distinguishes it from one of the same name in another file. */
  key: string
  where?: Where
}

export const isOfRules = ({ run }: Hook): boolean => Array.isArray(run['rules'])

/** Each rule once, though a list of rules judges several events. */
export function rulesOf(hooks: readonly Hook[]): PlacedRule[] {
  const placed = new Map<string, PlacedRule>()
  for (const hook of hooks.filter(isOfRules))
    for (const rule of rulesIn(hook)) {
      const key = keyOf(hook, rule.id)
      placed.set(key, { rule, key, ...placeOf(hook, rule.id) })
    }
  return [...placed.values()]
}

export function keyOf(hook: Hook, id: string): string {
  const { where } = placeOf(hook, id)
  return `${hook.origin.layer} ${id} ${where ? formatWhere(where) : ''}`
}

function placeOf({ origin }: Hook, id: string): { where?: Where } {
  const where = origin.places?.[id] ?? origin.where
  return where ? { where } : {}
}

/** The rules that a hook is made of. */
export const rulesIn = ({ run }: Hook): NamedRule[] =>
  (Array.isArray(run['rules']) ? run['rules'] : []).filter(
    (rule): rule is NamedRule => isRecord(rule) && typeof rule['id'] === 'string',
  )

/** The rules that the decision is due to, by id. */
export function decidingRules({ decision, reports }: Verdict): string[] {
  if (!decision) return []
  const agreeing = reports.filter(({ opinion, shadow }) => !shadow && opinion?.decision?.ruling === decision.ruling)
  return [...new Set(agreeing.flatMap(({ rules = [], decidedBy = rules }) => decidedBy))]
}
