import { type Opinion, type Report, sameJson } from '../core/index.ts'
import type { ReadyHook } from './book.ts'
import { combine, combineLayers, type Ranked, rankOf } from './combine.ts'
import type { Ran } from './run.ts'

/** What one hook has said so far in this dispatch. */
export interface Hearing {
  opinion: Opinion
  report: Report
  /** The values of the rewritable field it has judged: those it saw, and the one it wrote itself. */
  judged: unknown[]
  times: number
}

/**
 * What a stage says, and the weakest layer that has rewritten so far. A rewrite said once more has been weighed already, and
 * asking again must not undo what overrode it: unless a weaker layer has had a hand in the value (`writer`). Then it counts in
 * its place: under what stronger layers, and later hooks of its own, have written.
 */
export function combined(
  heard: readonly Ran[],
  hearings: ReadonlyMap<ReadyHook, Hearing>,
  writer: number,
): { said: Opinion; writer: number } {
  if (!heard.some(({ opinion }) => opinion.rewrite))
    return { said: combine(heard.map(({ opinion }) => opinion)), writer }
  const above: ReadyHook[] = []
  const ranked = heard.map(({ ready, opinion }): Ranked => {
    const { rewrite, ...rest } = opinion
    const rank = rankOf(ready.hook)
    const earlier = hearings.get(ready)?.opinion.rewrite
    if (earlier === undefined || !sameJson(earlier, rewrite)) return { rank, opinion }
    if (rank >= writer) return { rank, opinion: rest }
    above.push(...[...hearings.keys()].filter((other) => outranks(other, ready)))
    return { rank, opinion }
  })
  const asked = new Set(heard.map(({ ready }) => ready))
  const standing = [...new Set(above)]
    .filter((ready) => !asked.has(ready))
    .sort(inTurn)
    .flatMap((ready): Ranked[] => {
      const { rewrite } = hearings.get(ready)!.opinion
      return rewrite ? [{ rank: rankOf(ready.hook), opinion: { rewrite } }] : []
    })
  const writers = ranked.filter(({ opinion }) => opinion.rewrite).map(({ rank }) => rank)
  return { said: combineLayers([...ranked, ...standing]), writer: Math.max(writer, ...writers) }
}

/** Whether what it rewrites holds against what the other does: its layer is stronger, or the same and it is asked later. */
function outranks(one: ReadyHook, other: ReadyHook): boolean {
  const stronger = rankOf(other.hook) - rankOf(one.hook)
  return stronger > 0 || (stronger === 0 && inTurn(one, other) > 0)
}

const inTurn = (one: ReadyHook, other: ReadyHook): number =>
  one.hook.stage - other.hook.stage || one.position - other.position

/** Asked again, a hook's decision replaces its earlier one: an `allow` vouches only for what was seen. */
export function hear(hearings: Map<ReadyHook, Hearing>, ran: Ran, seen: unknown): void {
  const { ready } = ran
  const earlier = hearings.get(ready)
  if (!earlier) {
    hearings.set(ready, { opinion: ran.opinion, report: ran.report, judged: [seen], times: 1 })
    return
  }
  const { decision: _replaced, ...kept } = earlier.opinion
  const { decision, halt, rewrite } = ran.opinion
  earlier.opinion = { ...kept, ...(decision && { decision }), ...(halt && { halt }), ...(rewrite && { rewrite }) }
  earlier.times++
  earlier.judged.push(seen)
  const durationMs = (earlier.report.durationMs ?? 0) + (ran.report.durationMs ?? 0)
  earlier.report = { ...ran.report, opinion: earlier.opinion, durationMs, times: earlier.times }
}

/** A value that comes back, as when a stronger layer repeats its rewrite, is no new one. */
export const hasJudged = ({ judged }: Hearing, value: unknown): boolean =>
  judged.includes(value) || judged.some((each) => sameJson(each, value))

/** Config order within each stage; whoever was asked first stands first already, unless a rewrite brought others in. */
export const inOrder = (hearings: ReadonlyMap<ReadyHook, Hearing>): Hearing[] =>
  hearings.size === 1
    ? [...hearings.values()]
    : [...hearings].sort(([a], [b]) => inTurn(a, b)).map(([, hearing]) => hearing)
