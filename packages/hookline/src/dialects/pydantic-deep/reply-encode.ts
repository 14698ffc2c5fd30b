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

export function encodeReply(verdict: Verdict): Decoded<WireReply> {
  const notes: Note[] = []
  const lost = noteLost(notes, 'pydantic-deep')
  const { context, message, metadata = {} } = verdict
  if (context?.length) lost('Context', 'Add it to the result, after the tool ran.')
  if (message?.length) lost('A message for the user', 'Say it in the reason of a denial.')
  if (Object.keys(metadata).length > 0) lost('Metadata', 'Say it in the reason of a denial.')
  const value = denial(verdict, lost, notes) ?? modification(verdict, lost)
  return { value: { kind: 'wire', stderr: '', ...value }, notes }
}

/** There is nobody to ask there, so `ask` must not pass for yes. */
function denial({ event, decision, halt, rewrite }: Verdict, lost: Lost, notes: Note[]) {
  const denies = decision !== undefined && decision.ruling !== 'allow'
  if (!denies && !halt) return undefined
  if (halt) lost('Ending the run (`halt`)', 'Only a tool call can be denied there.')
  if (rowOf(event).modifies !== 'modified_args') {
    if (denies) lost('A denial', `${theirName(event)} cannot be denied there.`)
    return undefined
  }
  if (decision?.ruling === 'ask') notes.push(note('ask-becomes-deny', { event }))
  if (rewrite) lost('A rewrite beside a denial', 'The call is not made.')
  return { exit: 2, stdout: joinReasons(...new Set([denies ? decision.reason : '', halt?.reason ?? ''])) }
}

/** "modified_args" and "modified_result" replace the whole value; a result is a text. */
function modification({ event, payload, rewrite }: Verdict, lost: Lost) {
  const { modifies } = rowOf(event)
  if (rewrite && !modifies) lost('A rewrite', `${theirName(event)} can only be observed there.`)
  if (!rewrite || !modifies) return { exit: 0, stdout: '' }
  const value = applyRewrite(payload[eventRow(event).rewrites ?? ''], rewrite)
  const told = modifies === 'modified_result' && typeof value !== 'string' ? stringifyJson(value) : value
  return { exit: 0, stdout: stringifyJson({ [modifies]: told }) }
}
