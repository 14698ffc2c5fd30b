import { keepQuestion, takeAnswer } from './approvals.ts'
import { answered, type Decided, judgeCall, settle, type Undecided } from './approve.ts'
import type { GuardedCall, JudgedTool, JudgeOptions, KeptAnswer, Seam, ToolOutcome } from './contract.ts'
import { jsonView } from './json-view.ts'
import { type Line, makeLine, signalOf, told } from './line.ts'
import { perform } from './perform.ts'

/**
 * The first half of a call, for hosts that ask whether a call may run before they run it, maybe in another process. The
 * second half is `run` of what comes back. `guardTool` is both at once.
 */
export async function judgeTool<I extends object>(
  seam: Seam,
  call: GuardedCall<I>,
  options: JudgeOptions<I> = {},
): Promise<JudgedTool<I>> {
  const line = makeLine(seam.raise, call, options as Line<I>['options'], options.ask ? 'person' : 'waiting')
  const judged = await judgeCall(line)
  if (!('question' in judged)) return decidedTool(seam, line, await settle(line, judged))
  const { approval } = options
  if (approval !== undefined)
    return waitingTool(seam, line, judged).take(
      typeof approval === 'string' ? { token: approval, approved: true } : approval,
    )
  const given = await options.ask?.(judged.question, signalOf(line.signal))
  return given === undefined
    ? waitingTool(seam, line, judged)
    : decidedTool(seam, line, await settle(line, answered(judged, given)))
}

async function answeredBefore<I extends object>(
  seam: Seam,
  line: Line<I>,
  undecided: Undecided<I>,
  { token, ...answer }: KeptAnswer,
): Promise<Decided<I>> {
  const problem = await takeAnswer(seam, line, undecided.input, token)
  if (problem === undefined) return answered(undecided, answer)
  const { input, context } = undecided
  return { decision: 'deny', source: 'approval_not_valid', reason: problem, input, context, halt: false }
}

function waitingTool<I extends object>(seam: Seam, line: Line<I>, undecided: Undecided<I>): JudgedTool<I> {
  const { question, input, context } = undecided
  const decide = async (given: Parameters<typeof answered>[1]) =>
    decidedTool(seam, line, await settle(line, answered(undecided, given)))
  return {
    ...{ id: line.id, outcome: 'asks', input, rewritten: isRewritten(line, input), question, context },
    ...{ reason: question.reason, source: 'waiting_for_user' },
    keep: (token) => keepQuestion(seam, line, input, token),
    take: async (kept) =>
      decidedTool(seam, line, await settle(line, await answeredBefore(seam, line, undecided, kept))),
    answer: decide,
    run: async (execute, options) => (await decide(undefined)).run(execute, options),
  }
}

function decidedTool<I extends object>(seam: Seam, line: Line<I>, decided: Decided<I>): JudgedTool<I> {
  const { decision, input, reason, source, context, halt } = decided
  let ran = false
  const judged: JudgedTool<I> = {
    id: line.id,
    input,
    rewritten: isRewritten(line, input),
    reason,
    source,
    context,
    outcome: halt ? 'halted' : decision === 'allow' ? 'allowed' : 'refused',
    keep: (token) => keepQuestion(seam, line, input, token),
    take: async () => judged,
    answer: async () => judged,
    async run(execute, options = {}) {
      if (decision !== 'allow') return notRun(line, decided)
      if (ran) throw new Error(`The call ${line.id} of \`${line.tool}\` has run: judge it again.`)
      ran = true
      const running = options.signal ? { ...line, signal: options.signal } : line
      return perform(running, input, source, context, execute, options)
    },
  }
  return judged
}

/** What comes of a call that is not allowed. */
export function notRun<I extends object, F>(line: Line<I>, decided: Decided<I>): ToolOutcome<I, F> {
  const { decision, input, reason, source, context, halt } = decided
  const base = { input, reason, source, context, output: undefined, ...told(line.verdicts) }
  if (halt) return { ...base, outcome: 'halted', ran: false, error: false, afterBatch: false }
  return { ...base, outcome: 'refused', canceled: decision === 'canceled' }
}

const isRewritten = <I extends object>(line: Line<I>, input: I): boolean =>
  input !== line.input && JSON.stringify(jsonView(input)) !== JSON.stringify(jsonView(line.input))
