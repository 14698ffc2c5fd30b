import {
  type DecodedConfig,
  type EventName,
  type Hook,
  hookDefaults,
  isRecord,
  type NamedRule,
  note,
  type RuleEntry,
  type RuleTarget,
  rulePattern,
  ruleSchema,
  rulingOf,
  type Source,
  validate,
  type Where,
} from '../../core/index.ts'
import { shapeProblem, unknownKeyProblem } from './problems.ts'

/** What its hook on the main event is called; the others have the event behind it. */
export const rulesId = 'rules'
const mainEvent: EventName = 'pre_tool_use'

/** Every rule is read by itself; those that can be read become one hook for each event on which they judge. */
export function decodeRules(entries: unknown, source: Source, decoded: DecodedConfig): void {
  if (!Array.isArray(entries)) {
    decoded.problems.push(
      shapeProblem(source, ['rules'], 'must be a list', 'Write rules such as `- deny: { run: git push --force }`.'),
    )
    return
  }
  const rules: NamedRule[] = []
  const places: Record<string, Where> = {}
  for (const [index, entry] of entries.entries()) {
    const rule = decodeRule(entry, index, source, decoded)
    if (!rule) continue
    const first = places[rule.id]
    const where = source.locate(['rules', index])
    if (first) {
      const place = first.line === undefined ? 'another rule' : `line ${first.line}`
      decoded.problems.push(note('duplicate-id', { id: rule.id, first: place }, { where }))
    } else {
      rules.push(rule)
      places[rule.id] = where
    }
  }
  if (rules.length > 0) decoded.hooks.push(...rulesHooks(rules, source, source.locate(['rules']), places))
}

function decodeRule(entry: unknown, index: number, source: Source, decoded: DecodedConfig): NamedRule | undefined {
  const parsed = validate(ruleSchema, entry)
  if (parsed.ok) return { ...parsed.value, id: parsed.value.id ?? `${rulingOf(parsed.value).ruling}_${index + 1}` }
  for (const { path, detail, fix, unknownKey } of parsed.problems) {
    const at = ['rules', index, ...path]
    const id = isRecord(entry) && path[0] === 'id' ? entry['id'] : undefined
    decoded.problems.push(
      typeof id === 'string' && !rulePattern.test(id)
        ? note('invalid-id', { id }, { where: source.locate(at) })
        : unknownKey
          ? unknownKeyProblem(source, at, unknownKey.key, unknownKey.known)
          : shapeProblem(source, at, detail, fix),
    )
  }
  return undefined
}

export function rulesHooks(
  rules: readonly NamedRule[],
  { layer }: Pick<Source, 'layer'>,
  where: Where,
  places: Readonly<Record<string, Where>>,
): Hook[] {
  const idAt = (event: EventName) => (event === mainEvent ? rulesId : `${rulesId}:${event}`)
  return eventsOf(rules).map((event, at, [first = event]) => ({
    ...hookDefaults,
    id: idAt(event),
    event,
    dialect: 'native',
    run: { type: 'rules', rules },
    origin: { layer, where, places },
    ...(at > 0 && { partOf: { id: idAt(first), event: first } }),
  }))
}

/** Where rules judge: what a tool would do, what a user wrote, what leaves; and where they only remember. */
function eventsOf(rules: readonly NamedRule[]): EventName[] {
  const targets = rules.map((rule) => rulingOf(rule).target)
  const some = (test: (target: RuleTarget) => boolean, events: readonly EventName[]) =>
    targets.some(test) ? events : []
  return [
    ...some(isAboutCalls, [mainEvent, 'permission_request']),
    ...some(
      (target) => target.prompt !== undefined,
      ['user_prompt_submit', 'user_followup_submit', 'user_steering_messages_submit'],
    ),
    ...some((target) => target.send !== undefined, ['on_outbound_message']),
    ...(rules.some((rule) => rule.when?.after !== undefined) ? remembering : []),
  ]
}

const remembering: readonly EventName[] = ['post_tool_use']

const isAboutCalls = ({ prompt: _, ...others }: RuleTarget): boolean => Object.keys(others).length > 0

/** The rules of a list of hooks, as entries of a config: each list of rules once, whatever events it judges on. */
export function encodeRules(hooks: readonly Hook[]): RuleEntry[] {
  const lists = hooks.flatMap(({ run }) => (Array.isArray(run['rules']) ? [run['rules'] as readonly RuleEntry[]] : []))
  const seen = new Set<string>()
  return lists.flat().filter((rule) => {
    const text = JSON.stringify(rule)
    return !seen.has(text) && seen.add(text)
  })
}

/** Whether an id is one that a list of rules was given here, in a file or in a bundle. */
export const isRulesId = (id: string): boolean => /^(?:[\w.-]+:)?rules(?::[a-z_]+)?$/.test(id)

/** Under which id people know what has this one: all hooks of a list of rules are one thing. */
export const wholeOf = (id: string): string => (isRulesId(id) ? id.replace(/(^|:)rules:[a-z_]+$/, '$1rules') : id)

export const isRulesHook = ({ run }: Hook): boolean => run.type === 'rules'
