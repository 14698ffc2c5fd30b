import type {
  Asked,
  Decision,
  Decoded,
  DecodedReply,
  EventName,
  Note,
  Opinion,
  Rewrite,
  Verdict,
  WireReply,
} from '../../core/index.ts'
import { applyRewrite, eventRow, isRecord, note, parseJson, plainText } from '../../core/index.ts'
import { type Output, readOutput } from '../claude-code/output.ts'
import { jsonReply, type Lost, noteLost, noteLostEffects, refusalOf } from '../common/encode.ts'
import { cleanReply, exitFailure, invalidOutput, stricter, withReason } from '../common/reply.ts'
import { type RewriteField, rowOf, theirName } from './names.ts'

/** "JSON object, or empty for continue." What is neither lets everything go on, as a failure that is seen. */
export function decodeReply(reply: WireReply, asked: Asked): DecodedReply {
  return cleanReply(withReason(decodeExit(reply, asked), asked.hook.id))
}

/** "Exit non-zero / non-JSON = continue", but for "exit code 2 with stderr, no stdout", as Claude Code has it. */
function decodeExit(reply: WireReply, asked: Asked): DecodedReply {
  const text = reply.stdout.trim()
  const { name } = asked.event
  if (reply.exit === 0) return text === '' ? { ok: true, opinion: {}, notes: [] } : decodeJson(text, asked)
  const reason = reply.stderr.trim()
  if (reply.exit === 2 && text === '' && reason !== '') {
    const notes: Note[] = []
    return { ok: true, opinion: decided(block(reason, 'exit code 2', name, notes)), notes }
  }
  // A script that says "block" and exits as Claude Code's blockers do means it.
  const answer = reply.exit === 2 && text.startsWith('{') ? decodeJson(text, asked) : undefined
  if (answer?.ok && answer.opinion.decision?.ruling === 'deny') return answer
  return exitFailure(reply, 'Exit with 0; print `{"decision": "block", "reason": "…"}` to block.')
}

/** Starchild's own fields; Claude Code's are read beside them. */
const ownFields = ['decision', 'reason', 'context', 'add_warning', 'tool_input', 'message', 'response', 'notification']
const claudeFields = ['continue', 'stopReason', 'suppressOutput', 'systemMessage', 'hookSpecificOutput']
const rewriteFields: readonly RewriteField[] = ['tool_input', 'message', 'response', 'notification']

function decodeJson(text: string, asked: Asked): DecodedReply {
  const parsed = parseJson(text)
  if (!parsed.ok) return unreadable(`its output cannot be read as JSON: ${parsed.detail}`)
  if (!isRecord(parsed.value)) return unreadable('its output is JSON, but not an object')
  const fields = withoutNulls(parsed.value)
  const ofClaude = Object.fromEntries(Object.entries(fields).filter(([key]) => claudeFields.includes(key)))
  const claude = readOutput(ofClaude)
  if (typeof claude === 'string') return blockAlone(fields, claude, asked) ?? unreadable(claude)
  const { decision } = fields
  if (decision !== undefined && !blocks.has(decision) && !goesOn.has(decision))
    return unreadable(`\`decision\` is \`${plainText(decision)}\`; only \`block\` is known`)
  const unknown = Object.keys(fields).filter((key) => !ownFields.includes(key) && !claudeFields.includes(key))
  const notes = [...unknown, ...claude.unknown].map((field) => note('reply-field-ignored', { field, dialect }))
  return { ok: true, opinion: understand(fields, claude, asked, notes), notes }
}

/** A block stands, whatever is wrong beside it: nobody who says "block" means "continue". */
function blockAlone(fields: Record<string, unknown>, misfit: string, asked: Asked): DecodedReply | undefined {
  const specific = isRecord(fields['hookSpecificOutput']) ? fields['hookSpecificOutput'] : {}
  const claude = readOutput({
    ...(fields['continue'] === false && { continue: false, ...textsOf(fields, ['stopReason']) }),
    ...(specific['permissionDecision'] === 'deny' && {
      hookSpecificOutput: textsOf(specific, ['permissionDecision', 'permissionDecisionReason']),
    }),
  })
  const notes: Note[] = [ignored('all but the block', `does not fit: ${misfit}`)]
  if (typeof claude === 'string') return undefined
  const decision = decide(fields, claude, asked.event.name, notes)
  return decision?.ruling === 'deny' ? { ok: true, opinion: { decision }, notes } : undefined
}

const textsOf = (fields: Record<string, unknown>, keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, fields[key]]).filter(([, value]) => typeof value === 'string'))

function understand(fields: Record<string, unknown>, claude: Output, { event }: Asked, notes: Note[]): Opinion {
  const decision = decide(fields, claude, event.name, notes)
  const context = readContext(fields, claude, event.name, notes)
  // "Same user-facing note channel": a text that comes twice is shown once.
  const message = [...new Set([claude.systemMessage, warning(fields['add_warning'], notes)])].filter((text) => text)
  const rewrite = readRewrite(fields, claude, event, notes)
  return {
    ...decided(decision),
    ...(context.length > 0 && { context }),
    ...(rewrite && { rewrite }),
    ...(message.length > 0 && { message: message as string[] }),
  }
}

/** Two ways to block of its own and of Claude Code's each; one is enough. */
function decide(
  fields: Record<string, unknown>,
  claude: Output,
  event: EventName,
  notes: Note[],
): Decision | undefined {
  const reason = typeof fields['reason'] === 'string' ? fields['reason'] : ''
  const { permissionDecision: permission, permissionDecisionReason = reason } = claude.hookSpecificOutput ?? {}
  const own = blocks.has(fields['decision']) ? block(reason, 'decision', event, notes) : undefined
  const stops = claude.continue === false ? block(claude.stopReason || reason, 'continue', event, notes) : undefined
  const denies = permission === 'deny' ? block(permissionDecisionReason, 'permissionDecision', event, notes) : undefined
  const asks: Decision | undefined =
    permission === 'ask' || permission === 'defer' ? { ruling: 'ask', reason: permissionDecisionReason } : undefined
  if (asks && rowOf(event).rewrite !== 'tool_input') notes.push(unread('permissionDecision', event))
  const strictest = [own, stops, denies].reduce(stricter, undefined)
  if (reason !== '' && !strictest && !asks && !blocks.has(fields['decision']))
    notes.push(ignored('reason', `says "${reason}", but nothing was blocked`))
  return strictest ?? (rowOf(event).rewrite === 'tool_input' ? asks : undefined)
}

const blocks: ReadonlySet<unknown> = new Set(['block', 'deny'])
const goesOn: ReadonlySet<unknown> = new Set(['allow', 'approve', 'continue', 'none', ''])

function block(reason: string, by: string, event: EventName, notes: Note[]): Decision | undefined {
  if (rowOf(event).blocks) return { ruling: 'deny', reason }
  notes.push(ignored(by, `asks to block ${theirName(event)}, which cannot be${reason && ` (${reason})`}`))
  return undefined
}

const decided = (decision: Decision | undefined): Opinion => (decision ? { decision } : {})

/** "context is agent-facing (goes into the prompt, pre_llm_call only)" */
function readContext(fields: Record<string, unknown>, claude: Output, event: EventName, notes: Note[]): string[] {
  const given = [
    ['context', fields['context']],
    ['additionalContext', claude.hookSpecificOutput?.additionalContext],
  ] as const
  return given.flatMap(([field, value]) => {
    if (value === undefined || value === '') return []
    if (typeof value !== 'string') notes.push(ignored(field, 'is not a string'))
    else if (rowOf(event).context) return [value]
    else notes.push(unread(field, event))
    return []
  })
}

function warning(value: unknown, notes: Note[]): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  notes.push(ignored('add_warning', 'is not a string'))
  return undefined
}

function readRewrite(
  fields: Record<string, unknown>,
  claude: Output,
  event: Asked['event'],
  notes: Note[],
): Rewrite | undefined {
  const { updatedInput } = claude.hookSpecificOutput ?? {}
  const all: Record<string, unknown> = { ...fields }
  if (updatedInput) all['tool_input'] = { ...updatedInput, ...(isRecord(all['tool_input']) && all['tool_input']) }
  let rewrite: Rewrite | undefined
  for (const field of rewriteFields) {
    const value = all[field]
    if (value === undefined) continue
    if (rowOf(event.name).rewrite !== field) notes.push(unread(field, event.name))
    else if (field === 'tool_input') rewrite = existingKeys(value, event.payload['tool_input'], notes)
    else if (typeof value === 'string') rewrite = { mode: 'replace', value }
    else notes.push(ignored(field, 'is not a string'))
  }
  return rewrite
}

/** "pre_tool_call: rewrite EXISTING input keys" */
function existingKeys(value: unknown, current: unknown, notes: Note[]): Rewrite | undefined {
  if (!isRecord(value)) {
    notes.push(ignored('tool_input', 'is not an object'))
    return undefined
  }
  const isThere = (key: string) => isRecord(current) && Object.hasOwn(current, key)
  const added = Object.keys(value).filter((key) => !isThere(key))
  if (added.length > 0) {
    const detail = `the call has no \`${added.join('`, `')}\`, and only keys that it has can change`
    notes.push(note('rewrite-dropped', { detail, fix: 'Rewrite keys of the input that are there.' }))
  }
  const kept = Object.fromEntries(Object.entries(value).filter(([key]) => isThere(key)))
  return Object.keys(kept).length > 0 ? { mode: 'merge', value: kept } : undefined
}

const withoutNulls = (value: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null))

const dialect = 'starchild'
const unreadable = (detail: string) =>
  invalidOutput(detail, 'Print nothing, or one JSON object such as `{"decision": "block", "reason": "…"}`.')
const ignored = (field: string, detail: string) => note('reply-value-ignored', { field, detail, dialect })
const unread = (field: string, event: EventName) => ignored(field, `means nothing on ${theirName(event)}`)

/** Always exit 0 and its own fields; nothing when there is nothing to say. */
export function encodeReply(verdict: Verdict): Decoded<WireReply> {
  const notes: Note[] = []
  const lost = noteLost(notes, 'starchild')
  const { message } = verdict
  const supported = ['decision', 'halt', 'context', 'rewrite', 'message'] as const
  noteLostEffects(verdict, lost, supported, { metadata: 'Say it in a message.' })
  const output = {
    ...(blocking(verdict, lost, notes) ?? rewriting(verdict, lost)),
    ...contextual(verdict, lost),
    ...(message?.length && { systemMessage: message.join('\n') }),
  }
  return jsonReply(output, notes)
}

function blocking(verdict: Verdict, lost: Lost, notes: Note[]): object | undefined {
  const refusal = refusalOf(verdict)
  if (!refusal) return undefined
  const { event, decision, halt, rewrite } = verdict
  if (halt) lost('Ending the run (`halt`)', 'Only this one event is blocked.')
  if (!rowOf(event).blocks) {
    if (refusal.denies) lost('A denial', `${theirName(event)} cannot be blocked there.`)
    return undefined
  }
  if (decision?.ruling === 'ask') notes.push(note('ask-becomes-deny', { event }))
  if (rewrite) lost('A rewrite beside a block', 'What is blocked is not done.')
  return { decision: 'block', ...(refusal.reason && { reason: refusal.reason }) }
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
