import { answeredAgain, type Opinion, type Report, sameJson } from '../core/index.ts'
import { combine, combineRanked, type Ranked, rankOf } from './combine.ts'
import type { ReadyHook } from './hook-index.ts'
import type { Ran } from './run.ts'

/** What one hook has answered so far in this dispatch. */
export interface Answer {
  opinion: Opinion
  report: Report
  /** The values of the rewritable field it has judged: those it saw, and the one it wrote itself. */
  judged: unknown[]
  /** How often it ran. */
  times: number
}

export type Answers = ReadonlyMap<ReadyHook, Answer>

/**
 * The opinion of a stage, and the rank of the weakest layer that has rewritten so far.
 *
 * A hook that runs again and repeats its rewrite has been weighed already: applied once more, it would undo what overrode
 * it. So a repeated rewrite does not count, unless a weaker layer has rewritten the value since (`weakestRank`). Then it
 * is put back in its place: under the rewrites of stronger layers, and of later hooks of its own.
 */
export function weighStage(
  ran: readonly Ran[],
  answers: Answers,
  weakestRank: number,
): { opinion: Opinion; weakestRank: number } {
  if (!ran.some(({ opinion }) => opinion.rewrite))
    return { opinion: combine(ran.map(({ opinion }) => opinion)), weakestRank }
  const putBack: ReadyHook[] = []
  const ranked = ran.map(({ ready, opinion }): Ranked => {
    const rank = rankOf(ready.hook)
    if (!repeatsRewrite(opinion, answers.get(ready))) return { rank, opinion }
    if (rank >= weakestRank) return { rank, opinion: withoutRewrite(opinion) }
    putBack.push(ready)
    return { rank, opinion }
  })
  const rewriting = ranked.filter(({ opinion }) => opinion.rewrite).map(({ rank }) => rank)
  return {
    opinion: combineRanked([...ranked, ...rewritesAbove(putBack, ran, answers)]),
    weakestRank: Math.max(weakestRank, ...rewriting),
  }
}

function repeatsRewrite({ rewrite }: Opinion, earlier: Answer | undefined): boolean {
  return earlier?.opinion.rewrite !== undefined && sameJson(earlier.opinion.rewrite, rewrite)
}

function withoutRewrite({ rewrite: _repeated, ...rest }: Opinion): Opinion {
  return rest
}

/** The rewrites that hold against those that are put back, of hooks that do not run in this stage. */
function rewritesAbove(putBack: readonly ReadyHook[], ran: readonly Ran[], answers: Answers): Ranked[] {
  const running = new Set(ran.map(({ ready }) => ready))
  return [...answers]
    .filter(([other]) => !running.has(other) && putBack.some((ready) => outranks(other, ready)))
    .sort(([one], [other]) => inTurn(one, other))
    .flatMap(([{ hook }, { opinion }]) =>
      opinion.rewrite ? [{ rank: rankOf(hook), opinion: { rewrite: opinion.rewrite } }] : [],
    )
}

/** Whether one hook's rewrite holds against the other's: its layer is stronger, or the same and it runs later. */
function outranks(one: ReadyHook, other: ReadyHook): boolean {
  const stronger = rankOf(other.hook) - rankOf(one.hook)
  return stronger > 0 || (stronger === 0 && inTurn(one, other) > 0)
}

const inTurn = (one: ReadyHook, other: ReadyHook): number =>
  one.hook.stage - other.hook.stage || one.position - other.position

/** Remembers what a hook answered about the value it saw. Its decision replaces its earlier one: it is about this value. */
export function addAnswer(answers: Map<ReadyHook, Answer>, { ready, opinion, report }: Ran, seen: unknown): void {
  const earlier = answers.get(ready)
  if (!earlier) {
    answers.set(ready, { opinion, report, judged: [seen], times: 1 })
    return
  }
  earlier.opinion = answeredAgain(earlier.opinion, opinion)
  earlier.times++
  earlier.judged.push(seen)
  const durationMs = (earlier.report.durationMs ?? 0) + (report.durationMs ?? 0)
  earlier.report = { ...report, opinion: earlier.opinion, durationMs, times: earlier.times }
}

/** A value that comes back, as when a stronger layer repeats its rewrite, is no new one. */
export const hasJudged = ({ judged }: Answer, value: unknown): boolean =>
  judged.includes(value) || judged.some((each) => sameJson(each, value))

/**
 * The opinions of all hooks, in the order of stages and config; a rewrite may have brought in others late. An ask that a rule
 * of its own or a stronger layer has answered with `allow` is left out. Nothing else is: a deny always stays.
 */
export function opinionsInOrder(answers: Answers): Opinion[] {
  const inOrder = [...answers].sort(([one], [other]) => inTurn(one, other))
  const allowing = inOrder.filter(
    ([{ executor }, { opinion }]) => executor.answersAsks && opinion.decision?.ruling === 'allow',
  )
  const strongest = Math.min(...allowing.map(([{ hook }]) => rankOf(hook)))
  return inOrder.map(([{ hook }, { opinion }]) =>
    opinion.decision?.ruling === 'ask' && rankOf(hook) >= strongest ? withoutDecision(opinion) : opinion,
  )
}

function withoutDecision({ decision: _answered, ...rest }: Opinion): Opinion {
  return rest
}
