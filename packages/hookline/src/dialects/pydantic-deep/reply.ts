import type { Asked, Decoded, DecodedReply, EventName, Note, Opinion, Verdict, WireReply } from '../../core/index.ts'
import { applyRewrite, eventRow, isRecord, note, parseJson, stringifyJson } from '../../core/index.ts'
import { type Lost, noteLost, noteLostEffects, refusalOf } from '../common/encode.ts'
import { cleanReply, exitFailure, invalidOutput } from '../common/reply.ts'
import { rowOf, theirName } from './names.ts'

/** "Exit 0 -- Allow (optionally return JSON with modifications). Exit 2 -- Deny." Others allow too, as failures do. */
export function decodeReply(reply: WireReply, { event: { name } }: Asked): DecodedReply {
  if (reply.exit === 2) return cleanReply(decodeDenial(reply, name))
  if (reply.exit === 0) return cleanReply(decodeStdout(reply.stdout.trim(), name))
  return cleanReply(exitFailure(reply, 'Exit with 0 to allow, or with 2 to deny.'))
}

/** "stdout becomes the denial reason" */
function decodeDenial({ stdout, stderr }: WireReply, event: EventName): DecodedReply {
  const notes: Note[] = []
  const reason = stdout.trim()
  if (reason === '' && stderr.trim() !== '')
    notes.push(ignored('stderr', `says "${stderr.trim().slice(0, 200)}", but the reason is read from stdout`))
  return { ok: true, opinion: opinionOf({ allow: false, reason: reason || null }, event, notes), notes }
}

function decodeStdout(text: string, event: EventName): DecodedReply {
  if (text === '') return { ok: true, opinion: {}, notes: [] }
  const parsed = parseJson(text)
  if (!parsed.ok && text.startsWith('{'))
    return invalidOutput(`its output cannot be read as JSON: ${parsed.detail}`, 'Print nothing, or one JSON object.')
  if (!parsed.ok || !isRecord(parsed.value))
    return { ok: true, opinion: {}, notes: [ignored('stdout', 'is no JSON object')] }
  const { modified_args, modified_result, reason, ...others } = parsed.value
  const notes: Note[] = Object.keys(others).map((field) => note('reply-field-ignored', { field, dialect }))
  if (typeof reason === 'string' && reason !== '')
    notes.push(ignored('reason', `says "${reason}", but nothing was denied`))
  return { ok: true, opinion: opinionOf({ modified_args, modified_result }, event, notes), notes }
}

/** What a hook may answer; a command says `allow` with its exit code. */
export interface Result {
  allow?: boolean
  reason?: string | null
  modified_args?: unknown
  modified_result?: unknown
}

/** "First deny wins" only before a tool runs; elsewhere nothing can be denied. */
export function opinionOf(result: Result, event: EventName, notes: Note[]): Opinion {
  const { modifies } = rowOf(event)
  if (result.allow === false) {
    if (modifies === 'modified_args') return { decision: { ruling: 'deny', reason: result.reason || 'Denied by hook' } }
    notes.push(ignored('the denial', `means nothing on ${theirName(event)}`))
  }
  const opinion: Opinion = {}
  for (const field of ['modified_args', 'modified_result'] as const) {
    const value = result[field]
    if (value === undefined || value === null) continue
    if (field !== modifies) notes.push(ignored(field, `means nothing on ${theirName(event)}`))
    else if (field === 'modified_args' && !isRecord(value)) notes.push(ignored(field, 'is not an object'))
    else opinion.rewrite = { mode: 'replace', value }
  }
  return opinion
}

const dialect = 'pydantic-deep'
const ignored = (field: string, detail: string) => note('reply-value-ignored', { field, detail, dialect })

export function encodeReply(verdict: Verdict): Decoded<WireReply> {
  const notes: Note[] = []
  const lost = noteLost(notes, 'pydantic-deep')
  const inReason = 'Say it in the reason of a denial.'
  const instead = { context: 'Add it to the result, after the tool ran.', message: inReason, metadata: inReason }
  noteLostEffects(verdict, lost, ['decision', 'halt', 'rewrite'], instead)
  const value = denial(verdict, lost, notes) ?? modification(verdict, lost)
  return { value: { kind: 'wire', stderr: '', ...value }, notes }
}

function denial(verdict: Verdict, lost: Lost, notes: Note[]) {
  const refusal = refusalOf(verdict)
  if (!refusal) return undefined
  const { event, decision, halt, rewrite } = verdict
  if (halt) lost('Ending the run (`halt`)', 'Only a tool call can be denied there.')
  if (rowOf(event).modifies !== 'modified_args') {
    if (refusal.denies) lost('A denial', `${theirName(event)} cannot be denied there.`)
    return undefined
  }
  if (decision?.ruling === 'ask') notes.push(note('ask-becomes-deny', { event }))
  if (rewrite) lost('A rewrite beside a denial', 'The call is not made.')
  return { exit: 2, stdout: refusal.reason }
}

/** "modified_args" and "modified_result" replace the whole value; a result is a text. */
function modification({ event, payload, rewrite }: Verdict, lost: Lost) {
  const { modifies } = rowOf(event)
  if (rewrite && !modifies) lost('A rewrite', `${theirName(event)} can only be observed there.`)
  if (!rewrite || !modifies) return { exit: 0, stdout: '' }
  const value = applyRewrite(payload[eventRow(event).rewrites ?? ''], rewrite)
  const modified = modifies === 'modified_result' && typeof value !== 'string' ? stringifyJson(value) : value
  return { exit: 0, stdout: stringifyJson({ [modifies]: modified }) }
}
