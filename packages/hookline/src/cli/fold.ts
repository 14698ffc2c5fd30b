import {
  applyRewrite,
  type EventName,
  eventRow,
  type Hook,
  type Opinion,
  type Report,
  sameJson,
  type Verdict,
} from '../core/index.ts'
import { combineRanked, type Ranked, rankOf } from '../engine/index.ts'
import type { Step } from './text/explanation.ts'

interface Ran {
  report: Report
  hook: Hook
}

/** The verdict so far after each hook that ran: the last step is the verdict, except for what the engine itself refuses. */
export function stepsOf(
  { event, reports }: Verdict,
  hooks: readonly Hook[],
  payload: Readonly<Record<string, unknown>>,
): Step[] {
  const byId = new Map(hooks.map((hook) => [hook.id, hook]))
  const laneFirst = ({ hook }: Ran) => (hook.event === event ? 1 : 0)
  const ran = reports
    .filter((report) => report.asked)
    .map((report): Ran => ({ report, hook: byId.get(report.hook)! }))
    .toSorted((one, other) => laneFirst(one) - laneFirst(other) || one.report.stage - other.report.stage)
  return ran.map(({ report }, at) => {
    const counted = ran.slice(0, at + 1).filter((each) => !each.report.shadow)
    const soFar = combineRanked(counted.map((each) => whatCounts(each, counted, event)))
    return { hook: report.hook, report, soFar: inTheEnd(soFar, event, payload) }
  })
}

/** A stage that denies does not rewrite, unless it did before it ran again; the `allow` of a first lane is only advice. */
function whatCounts({ report, hook }: Ran, counted: readonly Ran[], event: EventName): Ranked {
  const { rewrite, decision, ...rest } = report.opinion ?? {}
  const decides = counted.some(
    (each) => each.hook.event === hook.event && each.report.stage === report.stage && ends(each),
  )
  const isAdvice = hook.event !== event && decision?.ruling === 'allow'
  const isApplied = !decides || report.times !== undefined
  return {
    rank: rankOf(hook),
    opinion: { ...rest, ...(decision && !isAdvice && { decision }), ...(rewrite && isApplied && { rewrite }) },
  }
}

const ends = ({ report: { opinion } }: Ran) => opinion?.halt !== undefined || opinion?.decision?.ruling === 'deny'

/** In a verdict, a rewrite has the whole final value. */
function inTheEnd(
  { rewrite, ...rest }: Opinion,
  event: EventName,
  payload: Readonly<Record<string, unknown>>,
): Opinion {
  const field = eventRow(event).rewrites
  if (!rewrite || field === undefined) return rest
  const value = applyRewrite(payload[field], rewrite)
  return sameJson(value, payload[field]) ? rest : { ...rest, rewrite: { mode: 'replace', value } }
}
