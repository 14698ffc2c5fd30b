import type { ApprovalQuestion, GuardOptions } from 'hookline/internal'
import { explained, type Person, type Tool, type ToolCall } from '../core/index.ts'
import { askPerson, type Run } from './run.ts'
import { show } from './session.ts'
import type { Place } from './steps.ts'

type Input = ToolCall['input']
type Approval = Pick<GuardOptions<Input, string, string>, 'ask' | 'rules' | 'parseInput' | 'onDecision'>

/** How this agent decides about a call, beside hooks: its permission rules, what the person granted, and the person. */
export function approval(run: Run, call: ToolCall, tool: Tool, place: Place): Approval {
  const { session } = run
  const { permissions } = session.shared
  const rules = (input: Input) =>
    permissions.decide({
      ...about(input),
      readOnly: tool.readOnly?.(input) === true,
      ...(tool.onlyReads ? {} : { inferred: true }),
    })
  const about = (input: Input) => ({ name: call.name, input, category: tool.category })

  return {
    ask,
    rules,
    parseInput(input) {
      const read = tool.parse(input)
      if (read.ok) return read.input
      throw new Error(read.problem)
    },
    onDecision: ({ decision, source, reason }) =>
      show(session, {
        type: 'approval',
        call_id: call.id,
        decision,
        source,
        ...(reason === '' ? {} : explained(reason)),
      }),
  }

  async function ask({ input, reason, metadata, onlyPerson }: ApprovalQuestion<Input>, signal: AbortSignal) {
    const question = async (person: Person) => {
      // While this question waited, the person may have answered it for good.
      const granted = onlyPerson ? undefined : rules(input)
      if (granted?.ruling === 'allow') return granted
      const request = { call: { ...call, input }, agent: session.spec.name, category: tool.category, reason, metadata }
      return person.approve(request, signal)
    }
    const answer = await askPerson(session, signal, question, place)
    signal.throwIfAborted()
    if (answer === undefined) return undefined
    if ('ruling' in answer) return { approved: true, source: answer.source }
    if (answer.answer === 'no') return { approved: false, reason: answer.reason }
    if (answer.answer === 'edit') return { input: answer.input }
    if (answer.answer === 'once') return true
    permissions.grant(about(input), answer.answer)
    return { approved: true, source: `user_approved_${answer.answer}` }
  }
}
