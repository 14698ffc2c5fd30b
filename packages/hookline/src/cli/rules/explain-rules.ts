import {
  type Event,
  eventRow,
  formatLine,
  isRecord,
  memoryState,
  type NamedRule,
  type Ruling,
  rulingOf,
  type Verdict,
  type Where,
} from '../../core/index.ts'
import { dispatch, type EngineServices, type HookIndex, makeRedoCounts, type ReadyHook } from '../../engine/index.ts'
import type { Hooks } from '../../hooks/index.ts'
import { machineLook } from '../../platform/look/index.ts'
import { type Actions, actionsOf } from '../../rules/index.ts'

/** One rule, and whether it has something to say about the event. */
export interface ExplainedRule {
  rule: NamedRule
  ruling: Ruling
  layer: string
  where?: Where
  /**
   * `decides`: it is among those that make the verdict; `overruled`: it matches, and a stronger one decides; `waits`: it
   * would match once the file is approved.
   */
  match: 'decides' | 'overruled' | 'waits' | 'none'
  /** Part of the call is only known when it runs, so that the rule asks instead of blocking. */
  unsure?: boolean
}

export interface ExplainedRules {
  rules: readonly ExplainedRule[]
  /** What the rules amount to, before any other hook runs. */
  verdict: Verdict
}

/** What hooks decide that leave nothing behind, so that they can run to be shown. */
export interface Foreseen {
  verdict: Verdict
  /** The rules and hooks that make the verdict, in config order. */
  by: readonly string[]
  /** What the reason would be, were everything approved; absent: it is the same. */
  approvedReason?: string
  outcomes: ReadonlyMap<string, string>
}

type Trust = EngineServices['trust']

const everything: Trust = () => ({ trusted: true })

async function explainRules(
  lists: readonly ReadyHook[],
  event: Event,
  trust: Trust,
): Promise<ExplainedRules | undefined> {
  if (lists.length === 0) return undefined
  const verdict = await decide(lists, event, trust)
  const approved = trust === everything ? verdict : await decide(lists, event, everything)
  const rules = lists.flatMap(({ hook }) => {
    const report = reportOf(verdict, hook.id)
    const wouldMatch = reportOf(approved, hook.id)?.rules ?? []
    return (hook.run['rules'] as readonly NamedRule[]).map((rule): ExplainedRule => {
      const { ruling } = rulingOf(rule)
      const where = hook.origin.places?.[rule.id] ?? hook.origin.where
      const isMatch = report?.rules?.includes(rule.id) === true
      // A sure deny would have made the whole list deny.
      const unsure = isMatch && ruling === 'deny' && report.opinion?.decision?.ruling !== 'deny'
      const decides = (unsure ? 'ask' : ruling) === verdict.decision?.ruling || report?.rules?.[0] === rule.id
      const match = isMatch ? (decides ? 'decides' : 'overruled') : wouldMatch.includes(rule.id) ? 'waits' : 'none'
      return { rule, ruling, layer: hook.origin.layer, ...(where && { where }), match, ...(unsure && { unsure }) }
    })
  })
  return { rules, verdict }
}

async function foresee(hooks: readonly ReadyHook[], event: Event, trust: Trust): Promise<Foreseen | undefined> {
  if (hooks.length === 0) return undefined
  const verdict = await decide(hooks, event, trust)
  const approved = trust === everything ? verdict : await decide(hooks, event, everything)
  const { decision } = verdict
  const by = verdict.reports.flatMap(({ hook, rules, decidedBy = rules, opinion }) =>
    decision && opinion?.decision?.ruling === decision.ruling ? (decidedBy ?? [hook]) : [],
  )
  const reason = approved.decision?.ruling === decision?.ruling ? approved.decision?.reason : undefined
  return {
    verdict,
    by: [...new Set(by)],
    ...(reason !== undefined && reason !== decision?.reason && { approvedReason: reason }),
    outcomes: new Map(verdict.reports.flatMap(({ hook, outcome }) => (outcome ? [[hook, outcome]] : []))),
  }
}

const reportOf = ({ reports }: Verdict, id: string) => reports.find(({ hook }) => hook === id)

function decide(hooks: readonly ReadyHook[], event: Event, trust: Trust): Promise<Verdict> {
  const byEvent = new Map([[event.name, { row: hooks[0]!.row, hooks, keys: [], plans: new Map() }]])
  const index: HookIndex = { generation: 0, byEvent, hooks }
  return Promise.resolve(dispatch(index, event, { ...services, trust, redos: makeRedoCounts(memoryState()) }))
}

/** Nothing is recorded, nothing waits, nothing goes on in the background. */
const services: Omit<EngineServices, 'trust' | 'redos'> = {
  slots: new Map(),
  nested: (_depth, work) => work(),
  afterwards() {},
  background() {},
  defaults: () => ({}),
  record: (verdict) => verdict,
}

export const placeOfRule = ({ where, layer }: ExplainedRule): string => (where ? formatLine(where) : layer)

/** What the call would do, and what the rules make of it. */
export interface Judged {
  actions?: Actions
  rules?: ExplainedRules
  foreseen?: Foreseen
}

export async function judgeRules(
  plans: readonly ReturnType<Hooks['plan']>[],
  cwd: string,
  trust: Trust = everything,
): Promise<Judged> {
  const plan = plans.at(-1)!
  const { tool: toolField = '', args = '' } = eventRow(plan.event.name).subject
  const [tool, input] = [plan.event.payload[toolField], plan.event.payload[args]]
  const event = { ...plan.event, payload: { cwd, ...plan.event.payload } } as Event
  // What has matched already is not matched again.
  const seen = plan.entries.flatMap(({ ready, skipped }) =>
    !skipped && ready.executor.leavesNoTrace?.(ready.spec, ready.hook)
      ? [{ ...ready, hook: { ...ready.hook, matcher: [] } }]
      : [],
  )
  const rules = await explainRules(
    seen.filter(({ hook }) => hook.run.type === 'rules'),
    event,
    trust,
  )
  const foreseen = await foresee(seen, event, trust)
  const judged = { ...(rules && { rules }), ...(foreseen && { foreseen }) }
  const at = typeof plan.event.payload['cwd'] === 'string' ? plan.event.payload['cwd'] : cwd
  if (typeof tool !== 'string' || !isRecord(input)) return judged
  return { actions: actionsOf({ tool, input, cwd: at }, machineLook()), ...judged }
}
