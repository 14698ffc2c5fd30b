import {
  type Decoded,
  isRecord,
  joinReasons,
  type Note,
  note,
  stringifyJson,
  type Verdict,
  type WireReply,
} from '../../core/index.ts'
import { type Lost, noteLost } from '../common/lost.ts'
import { rowOf } from './names.ts'

/** Always exit 0 and a JSON decision, or nothing at all when there is nothing to say. */
export function encodeReply(verdict: Verdict): Decoded<WireReply> {
  const notes: Note[] = []
  const lost = noteLost(notes, 'everruns')
  const output = blocking(verdict, lost, notes) ?? mutating(verdict, lost)
  if (Object.keys(verdict.metadata ?? {}).length > 0) lost('Metadata', 'Say it in the reason of a block.')
  return { value: { kind: 'wire', exit: 0, stdout: output ? stringifyJson(output) : '', stderr: '' }, notes }
}

/** There is nobody to ask there, so `ask` must not pass for yes. */
function blocking({ event, decision, halt, message, rewrite, context }: Verdict, lost: Lost, notes: Note[]) {
  const denies = decision !== undefined && decision.ruling !== 'allow'
  if (!denies && !halt) return undefined
  if (!rowOf(event).blocks) {
    lost(halt ? 'Ending the run (`halt`)' : 'A denial', `${event} cannot be blocked there.`)
    return undefined
  }
  if (halt) lost('Ending the run (`halt`)', 'Only this one event is blocked.')
  if (decision?.ruling === 'ask') notes.push(note('ask-becomes-deny', { event }))
  if (rewrite || context?.length)
    lost('A rewrite or context beside a block', 'Nothing of it is needed once it is blocked.')
  const reason = joinReasons(...new Set([denies ? decision.reason : '', halt?.reason ?? '']))
  return {
    decision: 'block',
    ...(reason && { reason }),
    ...(message?.length && { user_message: message.join('\n') }),
  }
}

function mutating({ event, rewrite, context, message }: Verdict, lost: Lost) {
  const keys = rowOf(event).patch
  const patch: Record<string, unknown> = {}
  if (rewrite) {
    const key = keys[0]
    const fits = key !== undefined && (key !== 'arguments' || isRecord(rewrite.value))
    if (fits) patch[key] = rewrite.value
    else lost('A rewrite', `${event} cannot change it there.`)
    if (key === 'arguments' && rewrite.mode === 'replace')
      lost('Taking keys out of the arguments', 'Only keys that are set can change there.')
  }
  if (context?.length) {
    if (keys.includes('additional_context')) patch['additional_context'] = context.join('\n')
    else lost('Context', 'Add it to the result, on post_tool_use.')
  }
  if (message?.length) lost('A message for the user', 'It is read only beside a block.')
  return Object.keys(patch).length > 0 ? { decision: 'mutate', patch } : undefined
}
