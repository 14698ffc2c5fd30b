import type {
  Asked,
  Decision,
  Decoded,
  DecodedReply,
  EventName,
  Note,
  Opinion,
  Ruling,
  Verdict,
  WireReply,
} from '../../core/index.ts'
import {
  applyRewrite,
  eventRow,
  isRecord,
  joinReasons,
  note,
  parseJson,
  rulings,
  stringifyJson,
} from '../../core/index.ts'
import { jsonReply, type Lost, noteLost, noteLostEffects } from '../common/encode.ts'
import { cleanReply, withoutMisplacedAllow, withReason } from '../common/reply.ts'
import { lane, type RewriteField, type Row, rowOf, theirName } from './names.ts'
import { type Output, readOutput, type Specific } from './output.ts'

/** Exit 0 is read, exit 2 blocks, any other code is a failure of the hook. */
export function decodeReply(reply: WireReply, { event, hook }: Asked): DecodedReply {
  return cleanReply(withReason(withoutMisplacedAllow(decodeExit(reply, event.name), event.name, dialect), hook.id))
}

function decodeExit(reply: WireReply, event: EventName): DecodedReply {
  if (reply.exit === 0) return decodeStdout(reply.stdout.trim(), event)
  if (reply.exit === 2) return decodeBlock(reply, event)
  const text = reply.stderr.trim()
  const tail = text.length > tailLength ? `…${text.slice(-tailLength)}` : text
  const detail = `it exited with code ${reply.exit}${tail && `: ${tail}`}`
  return { ok: false, failure: { kind: 'exit', detail, remedy: 'Exit with 0, or with 2 to block.' } }
}

/** The end of stderr is where programs say what went wrong. */
const tailLength = 400

/** "Plain text (i.e., output that is not valid JSON)" is context on some events, and nothing on the others. */
function decodeStdout(text: string, event: EventName): DecodedReply {
  if (text === '') return { ok: true, opinion: {}, notes: [] }
  if (!text.startsWith('{')) return plainText(text, event, [])
  const parsed = parseJson(text)
  if (!parsed.ok) {
    if (rowOf(event).context && !isJson(text))
      return plainText(text, event, [note('reply-not-json', { detail: parsed.detail })])
    return invalid(`its output cannot be read as JSON: ${parsed.detail}`)
  }
  const output = readOutput(parsed.value)
  if (typeof output === 'string') return invalid(output)
  return understand(output, event)
}

function plainText(text: string, event: EventName, notes: Note[]): DecodedReply {
  if (rowOf(event).context) return { ok: true, opinion: { context: [text] }, notes }
  return { ok: true, opinion: {}, notes: [ignored('stdout', `is plain text, which ${theirName(event)} does not read`)] }
}

/** "Blocking error — stop the operation." The reason is the one in the JSON on stdout, else what stderr says. */
function decodeBlock({ stdout, stderr }: WireReply, event: EventName): DecodedReply {
  const text = stdout.trim()
  const parsed = text.startsWith('{') ? parseJson(text) : undefined
  const output = parsed?.ok ? readOutput(parsed.value) : undefined
  const { reason, message } =
    typeof output === 'object'
      ? { reason: anyReason(output), message: output.system_message }
      : { reason: '', message: undefined }
  const shown = message ? { message: [message] } : {}
  if (!rowOf(event).blocks) return { ok: true, opinion: shown, notes: [cannotBlock('exit code 2', event)] }
  const decision: Decision = { ruling: 'deny', reason: reason || stderr.trim() || (parsed?.ok ? '' : text) }
  return { ok: true, opinion: { decision, ...shown }, notes: [] }
}

function understand(output: Output, event: EventName): DecodedReply {
  const row = rowOf(event)
  const specific = output.hook_specific_output ?? {}
  const notes = output.unknown.map((field) => note('reply-field-ignored', { field, dialect }))
  const named = specific.hook_event_name
  if (named && named !== theirName(event))
    notes.push(ignored('hook_specific_output.hook_event_name', `is \`${named}\`, but ${theirName(event)} was raised`))

  const decided = decide(output, specific, event, notes)
  if (typeof decided === 'string') return invalid(decided)
  const opinion: Opinion = decided ? { decision: decided } : {}
  if (specific.additional_context) {
    if (row.context) opinion.context = [specific.additional_context]
    else notes.push(unread('additional_context', event))
  }
  if (output.system_message) opinion.message = [output.system_message]
  if (specific.metadata && Object.keys(specific.metadata).length > 0) {
    if (row.metadata) opinion.metadata = specific.metadata
    else notes.push(unread('metadata', event))
  }
  for (const field of rewriteFields) {
    const value = specific[field]
    if (value === undefined || emptyMeansNone(field, value)) continue
    if (row.rewrite === field) opinion.rewrite = { mode: 'replace', value }
    else notes.push(unread(field, event))
  }
  return { ok: true, opinion, notes }
}

/** The decision of one reply; as text, what is wrong with it. A misspelt verdict must not count as no answer. */
function decide(output: Output, specific: Specific, event: EventName, notes: Note[]): Decision | undefined | string {
  const row: Row = rowOf(event)
  const { decision = '', reason = '', stop_reason = '' } = output
  const { permission_decision: permission = '', permission_decision_reason = '' } = specific
  const blocks = decision === 'block'
  const stops = output.continue === false
  const denies = permission === 'deny'
  if (permission !== '' && !rulings.includes(permission as Ruling))
    return `\`permission_decision\` is \`${permission}\`, which is none of ${rulings.join(', ')}`
  if (decision !== '' && !blocks) {
    if (!harmless.has(decision)) return `\`decision\` is \`${decision}\`; only \`block\` is known`
    notes.push(ignored('decision', `is \`${decision}\`, and only \`block\` means something`))
  }
  if (blocks || stops || denies) {
    const asked = blocks ? 'decision' : stops ? 'continue' : 'permission_decision'
    if (!row.blocks) {
      notes.push(cannotBlock(asked, event))
      return undefined
    }
    const own = [blocks && reason, stops && stop_reason, denies && permission_decision_reason]
    const given = [...new Set(own.filter((text) => typeof text === 'string' && text !== ''))] as string[]
    return { ruling: 'deny', reason: joinReasons(...given) || anyReason(output) }
  }
  if (permission === '') return undefined
  if (!row.permits) notes.push(unread('permission_decision', event))
  else if (permission === 'ask' && !row.asks)
    notes.push(ignored('permission_decision', 'is `ask`, and the user is about to be asked anyway'))
  else return { ruling: permission as Ruling, reason: permission_decision_reason || reason }
  return undefined
}

const dialect = 'docker-agent'
const rewriteFields: readonly RewriteField[] = ['updated_input', 'updated_tool_response', 'updated_messages', 'summary']
/** What other systems write to say that nothing is wrong. */
const harmless = new Set(['allow', 'approve', 'continue', 'none'])

/** "When non-empty, replaces the LLM-generated compaction summary"; an empty tool response, however, clears it. */
function emptyMeansNone(field: RewriteField, value: unknown): boolean {
  if (field === 'summary') return value === ''
  return field === 'updated_messages' && Array.isArray(value) && value.length === 0
}

/** Any reason for a refusal; why something else was allowed is none. */
function anyReason({ reason, stop_reason, hook_specific_output: specific }: Output): string {
  const own = specific?.permission_decision === 'allow' ? '' : specific?.permission_decision_reason
  return reason || stop_reason || own || ''
}

/** Whether any reader takes it for JSON, though ours refuses it (a repeated key, say). */
function isJson(text: string): boolean {
  try {
    return isRecord(JSON.parse(text))
  } catch {
    return false
  }
}

const invalid = (detail: string): DecodedReply => ({
  ok: false,
  failure: {
    kind: 'invalid-output',
    detail,
    remedy: 'Print nothing, or one JSON object as docker-agent documents it.',
  },
})
const ignored = (field: string, detail: string) => note('reply-value-ignored', { field, detail, dialect })
const unread = (field: string, event: EventName) =>
  ignored(`hook_specific_output.${field}`, `means nothing on ${place(event)}`)
const cannotBlock = (field: string, event: EventName) =>
  ignored(field, `asks to block ${theirName(event)}, which cannot be`)
const place = (event: EventName) => (event === lane ? 'an entry with `preempt_yolo`' : theirName(event))

/** Always exit 0 and JSON: it says more than an exit code, and docker-agent drops what is printed beside exit 2. */
export function encodeReply(verdict: Verdict): Decoded<WireReply> {
  const row = rowOf(verdict.event)
  const notes: Note[] = []
  const lost = noteLost(notes, 'docker-agent')
  const output = {
    ...stopping(verdict, row, lost),
    ...(verdict.message?.length ? { system_message: verdict.message.join('\n') } : {}),
    ...blocking(verdict.decision, row, lost),
  }
  const specific = {
    ...permission(verdict.decision, row),
    ...rewriting(verdict, row, lost),
    ...annotations(verdict, row, lost),
  }
  if (Object.keys(specific).length > 0)
    Object.assign(output, { hook_specific_output: { hook_event_name: theirName(verdict.event), ...specific } })
  noteLostEffects(verdict, lost, ['decision', 'halt', 'context', 'rewrite', 'message', 'metadata'], {})
  return jsonReply(output, notes)
}

function stopping({ halt }: Opinion, row: Row, lost: Lost): object {
  if (!halt) return {}
  lost('Ending the whole run (`halt`)', '`continue: false` ends this operation only.')
  if (!row.blocks) return {}
  return { continue: false, ...(halt.reason ? { stop_reason: halt.reason } : {}) }
}

function blocking(decision: Decision | undefined, row: Row, lost: Lost): object {
  if (!decision || row.permits) return {}
  const { ruling, reason } = decision
  if (ruling === 'deny' && row.blocks) return { decision: 'block', ...(reason ? { reason } : {}) }
  lost(`The decision \`${ruling}\``, 'Only what can be blocked can be decided there, and saying nothing allows it.')
  return {}
}

function permission(decision: Decision | undefined, row: Row): object {
  if (!decision || !row.permits) return {}
  const { ruling, reason } = decision
  return { permission_decision: ruling, ...(reason ? { permission_decision_reason: reason } : {}) }
}

function rewriting({ event, payload, rewrite }: Verdict, row: Row, lost: Lost): object {
  if (!rewrite) return {}
  if (!row.rewrite) {
    lost(`A new \`${eventRow(event).rewrites}\``, 'Rewrite before a tool runs, or its response as it arrives.')
    return {}
  }
  const value = applyRewrite(payload[eventRow(event).rewrites ?? ''], rewrite)
  return {
    [row.rewrite]: row.rewrite === 'updated_tool_response' && typeof value !== 'string' ? stringifyJson(value) : value,
  }
}

function annotations({ context, metadata }: Opinion, row: Row, lost: Lost): object {
  const fields: Record<string, unknown> = {}
  if (context?.length) {
    if (row.context) fields['additional_context'] = context.join('\n')
    else lost('Context', 'Add it on turn_start or user_prompt_submit.')
  }
  if (metadata && Object.keys(metadata).length > 0) {
    if (row.permits) fields['metadata'] = metadata
    if (!row.metadata) lost('Metadata', 'It is read on permission_request and on entries with `preempt_yolo: true`.')
  }
  return fields
}
