import {
  type Asked,
  type DecodedReply,
  type EventName,
  isRecord,
  type Note,
  note,
  type Opinion,
  parseJson,
  type WireReply,
} from '../../core/index.ts'
import { cleanReply } from '../common/clean.ts'
import { exitFailure, invalidOutput } from '../common/failures.ts'
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
