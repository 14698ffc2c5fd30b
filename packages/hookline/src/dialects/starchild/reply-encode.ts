import {
  applyRewrite,
  type Decoded,
  eventRow,
  joinReasons,
  type Note,
  note,
  stringifyJson,
  type Verdict,
  type WireReply,
} from '../../core/index.ts'
import { type Lost, noteLost } from '../common/lost.ts'
import { rowOf, theirName } from './names.ts'

/** Always exit 0 and its own fields; nothing when there is nothing to say. */
export function encodeReply(verdict: Verdict): Decoded<WireReply> {
  const notes: Note[] = []
  const lost = noteLost(notes, 'starchild')
  const { message, metadata = {} } = verdict
  if (Object.keys(metadata).length > 0) lost('Metadata', 'Say it in a message.')
  const output = {
    ...(blocking(verdict, lost, notes) ?? rewriting(verdict, lost)),
    ...contextual(verdict, lost),
    ...(message?.length && { systemMessage: message.join('\n') }),
  }
  const stdout = Object.keys(output).length > 0 ? stringifyJson(output) : ''
  return { value: { kind: 'wire', exit: 0, stdout, stderr: '' }, notes }
}

/** There is nobody to ask there, so `ask` must not pass for yes. */
function blocking({ event, decision, halt, rewrite }: Verdict, lost: Lost, notes: Note[]): object | undefined {
  const denies = decision !== undefined && decision.ruling !== 'allow'
  if (!denies && !halt) return undefined
  if (halt) lost('Ending the run (`halt`)', 'Only this one event is blocked.')
  if (!rowOf(event).blocks) {
    if (denies) lost('A denial', `${theirName(event)} cannot be blocked there.`)
    return undefined
  }
  if (decision?.ruling === 'ask') notes.push(note('ask-becomes-deny', { event }))
  if (rewrite) lost('A rewrite beside a block', 'What is blocked is not done.')
  const reason = joinReasons(...new Set([denies ? decision.reason : '', halt?.reason ?? '']))
  return { decision: 'block', ...(reason && { reason }) }
}

function rewriting({ event, payload, rewrite }: Verdict, lost: Lost): object {
  const field = rowOf(event).rewrite
  if (!rewrite) return {}
  if (!field) {
    lost('A rewrite', `${theirName(event)} cannot change anything there.`)
    return {}
  }
  if (field === 'tool_input' && rewrite.mode === 'replace')
    lost('Adding keys to the input, or taking them out', 'Only keys that the call has can change there.')
  return { [field]: field === 'tool_input' ? rewrite.value : applyRewrite(payload[eventRow(event).rewrites!], rewrite) }
}

function contextual({ event, context }: Verdict, lost: Lost): object {
  if (!context?.length) return {}
  if (rowOf(event).context) return { context: context.join('\n') }
  lost('Context', 'Add it on pre_llm_call.')
  return {}
}
