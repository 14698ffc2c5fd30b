import type {
  Asked,
  Decision,
  Decoded,
  DecodedReply,
  Halt,
  Note,
  Opinion,
  Rewrite,
  Ruling,
  Verdict,
  WireReply,
} from '../../core/index.ts'
import { eventRow, isRecord, joinReasons, note, parseJson, plainText, rulings } from '../../core/index.ts'
import { jsonReply, noteLost, noteLostEffects } from '../common/encode.ts'
import { cleanReply, exitFailure, invalidOutput, stricter } from '../common/reply.ts'
import { theirName } from './names.ts'

/** Exit 0 is read, 2 blocks, 49 halts. Anything else is a failure, and failures let the call go on. */
export function decodeReply(reply: WireReply, asked: Asked): DecodedReply {
  const meaning = exits[reply.exit] ?? failed
  return cleanReply(meaning(reply, asked))
}

type ExitMeaning = (reply: WireReply, asked: Asked) => DecodedReply

const failed: ExitMeaning = (reply) => exitFailure(reply, 'Exit with 0, with 2 to block, or with 49 to halt.')

const exits: Partial<Record<number, ExitMeaning>> = {
  0: ({ stdout }, asked) => decodeEnvelope(stdout, asked),
  // "On events where there's nothing to block, it's treated as a non-blocking error."
  2: (reply, asked) =>
    eventRow(asked.event.name).deny === undefined
      ? failed(reply, asked)
      : understood({ decision: { ruling: 'deny', reason: reply.stderr.trim() || 'blocked by hook' } }),
  // "If any hook halts, the turn ends after the tool call is blocked."
  49: ({ stderr }) => {
    const reason = stderr.trim() || 'turn halted by hook'
    return understood({ decision: { ruling: 'deny', reason }, halt: { reason } })
  },
}

/** The keys of the envelope. Claude Code's are read beside Crush's own: "Hooks are also compatible with hooks in Claude Code". */
const texts = ['decision', 'reason', 'stopReason', 'systemMessage'] as const
const flags = ['halt', 'continue', 'suppressOutput'] as const
const others = ['version', 'context', 'updated_input', 'hookSpecificOutput'] as const
const known = new Map([...texts, ...flags, ...others].map((key) => [key.toLowerCase(), key]))

function decodeEnvelope(stdout: string, asked: Asked): DecodedReply {
  const text = stdout.trim()
  if (text === '') return understood({})
  const parsed = parseJson(text)
  if (!parsed.ok) return unreadable(`its output cannot be read as JSON: ${parsed.detail}`)
  if (!isRecord(parsed.value)) return unreadable('its output is JSON, but not an object')
  const notes: Note[] = []
  const envelope = fieldsOf(parsed.value, notes)
  const misfit = misfitOf(envelope)
  return misfit === undefined ? understand(envelope, asked, notes) : unreadable(misfit)
}

/** Keys are read in any case; `null` is absent. */
function fieldsOf(value: Record<string, unknown>, notes: Note[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const [written, item] of Object.entries(value)) {
    const key = known.get(written.toLowerCase())
    if (key === undefined) notes.push(note('reply-field-ignored', { field: written, dialect: 'crush' }))
    else if (item !== null) fields[key] = item
  }
  return fields
}

/** Of these, the wrong type voids the whole envelope: what it grants or refuses cannot be known. */
function misfitOf(fields: Record<string, unknown>): string | undefined {
  for (const key of texts)
    if (fields[key] !== undefined && typeof fields[key] !== 'string') return `\`${key}\` must be a string`
  for (const key of flags)
    if (fields[key] !== undefined && typeof fields[key] !== 'boolean') return `\`${key}\` must be true or false`
  if (fields['version'] !== undefined && !Number.isInteger(fields['version'])) return '`version` must be an integer'
  return undefined
}

function understand(fields: Record<string, unknown>, asked: Asked, notes: Note[]): DecodedReply {
  const reason = (fields['reason'] as string | undefined) ?? ''
  const own = readDecision(fields['decision'], reason, 'decision', notes)
  const specific = readSpecific(fields['hookSpecificOutput'], reason, asked, notes)
  const decision = stricter(own, specific.decision)
  const halt = readHalt(fields, reason)
  const context = [...readContext(fields['context'], 'context', notes), ...(specific.context ?? [])]
  const rewrite = merged(readPatch(fields['updated_input'], 'updated_input', notes), specific.rewrite)
  const opinion: Opinion = {
    ...(decision && { decision }),
    ...(halt && { halt }),
    ...(context.length > 0 && { context }),
    ...(rewrite && { rewrite }),
    ...(fields['systemMessage'] ? { message: [fields['systemMessage'] as string] } : {}),
  }
  return { ok: true, opinion, notes }
}

/** `block` is what Claude Code says for `deny`. Anything else is no opinion, as Crush has it, and never a grant. */
const words = new Map<string, Ruling>([
  ['allow', 'allow'],
  ['deny', 'deny'],
  ['block', 'deny'],
])

function readDecision(value: unknown, reason: string, field: string, notes: Note[]): Decision | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  const ruling = words.get(value.toLowerCase())
  if (ruling) return { ruling, reason }
  notes.push(ignored(field, `is \`${value}\`, which is neither \`allow\` nor \`deny\``))
  return undefined
}

function readHalt(fields: Record<string, unknown>, reason: string): Opinion['halt'] {
  const stops = fields['continue'] === false
  if (fields['halt'] !== true && !stops) return undefined
  const stopReason = stops ? ((fields['stopReason'] as string | undefined) ?? '') : ''
  return { reason: fields['halt'] === true ? reason || stopReason : stopReason || reason }
}

/** "String or array of strings. Empty entries are dropped." */
function readContext(value: unknown, field: string, notes: Note[]): string[] {
  const entries = value === undefined ? [] : [value].flat()
  if (entries.every((entry) => typeof entry === 'string')) return entries.filter((entry) => entry !== '')
  notes.push(ignored(field, 'is neither a string nor a list of strings'))
  return []
}

/** "Shallow-merged into the tool's input"; an object, or one written as JSON text. */
function readPatch(value: unknown, field: string, notes: Note[]): Rewrite | undefined {
  if (value === undefined || value === null) return undefined
  const parsed = typeof value === 'string' ? parseJson(value) : undefined
  const patch = parsed ? parsed.ok && parsed.value : value
  if (isRecord(patch)) return { mode: 'merge', value: patch }
  notes.push(ignored(field, 'is not an object'))
  return undefined
}

/** What Claude Code's own output for this event says; its `updatedInput` is a patch here. */
function readSpecific(value: unknown, reason: string, { event }: Asked, notes: Note[]): Opinion {
  if (value === undefined) return {}
  if (!isRecord(value)) {
    notes.push(ignored('hookSpecificOutput', 'is not an object'))
    return {}
  }
  const { hookEventName, permissionDecision, permissionDecisionReason, updatedInput, additionalContext, ...rest } =
    value
  for (const key of Object.keys(rest))
    notes.push(note('reply-field-ignored', { field: `hookSpecificOutput.${key}`, dialect: 'crush' }))
  if (hookEventName !== undefined && hookEventName !== theirName(event.name))
    notes.push(ignored('hookSpecificOutput.hookEventName', `is not ${theirName(event.name)}, which was raised`))
  const rewrite = readPatch(updatedInput, 'hookSpecificOutput.updatedInput', notes)
  const context = readContext(additionalContext ?? undefined, 'hookSpecificOutput.additionalContext', notes)
  const own = typeof permissionDecisionReason === 'string' ? permissionDecisionReason : ''
  const decision = readPermission(permissionDecision, own || reason, notes)
  return { ...(decision && { decision }), ...(rewrite && { rewrite }), context }
}

function readPermission(value: unknown, reason: string, notes: Note[]): Decision | undefined {
  const ruling = rulings.find((each) => each === plainText(value).toLowerCase())
  if (ruling) return { ruling, reason }
  if (value !== undefined && value !== null)
    notes.push(ignored('hookSpecificOutput.permissionDecision', `is none of ${rulings.join(', ')}`))
  return undefined
}

function merged(one: Rewrite | undefined, other: Rewrite | undefined): Rewrite | undefined {
  if (!one || !other) return one ?? other
  return { mode: 'merge', value: { ...(one.value as object), ...(other.value as object) } }
}

const understood = (opinion: Opinion): DecodedReply => ({ ok: true, opinion, notes: [] })
const unreadable = (detail: string) =>
  invalidOutput(detail, 'Print nothing, or one JSON object such as `{"decision": "allow"}`.')
const ignored = (field: string, detail: string) => note('reply-value-ignored', { field, detail, dialect: 'crush' })

/** Always exit 0 and the envelope: it says more than an exit code. */
export function encodeReply(verdict: Verdict): Decoded<WireReply> {
  const notes: Note[] = []
  const lost = noteLost(notes, 'crush')
  const { decision, context = [], rewrite } = verdict
  if (decision?.ruling === 'ask') lost('The decision `ask`', 'Saying nothing leaves the call to the permission prompt.')
  noteLostEffects(verdict, lost, ['decision', 'halt', 'context', 'rewrite'], { message: inReason, metadata: inReason })
  const rewritten = rewrite && isRecord(rewrite.value) ? { updated_input: rewrite.value } : {}
  if (rewrite && !isRecord(rewrite.value)) lost('A rewrite that is no object', 'Rewrite the input of the tool.')
  else if (rewrite?.mode === 'replace') lost('Taking keys out of the input', 'Only keys that are set can change there.')
  const envelope = {
    ...ruling(verdict),
    ...(context.length > 0 ? { context: context.length === 1 ? context[0] : context } : {}),
    ...rewritten,
  }
  return jsonReply(Object.keys(envelope).length > 0 ? { version: 1, ...envelope } : undefined, notes)
}

const inReason = 'Say it in the reason of a denial.'

/** One reason for both: "Shown when denying or halting". */
function ruling(verdict: Verdict): object {
  const { decision, halt } = verdict
  const decided = decision && decision.ruling !== 'ask' ? decision : undefined
  const reason = decided && halt ? reasonOfBoth(verdict, decided, halt) : (decided ?? halt)?.reason
  return {
    ...(decided ? { decision: decided.ruling } : {}),
    ...(halt ? { halt: true } : {}),
    ...(reason ? { reason } : {}),
  }
}

/**
 * "`reason` values concatenate with `\n` in config order. Halt-only hooks without a deny still contribute their
 * reason", and a hook that does both contributes once.
 */
function reasonOfBoth({ reports }: Verdict, decided: Decision, halt: Halt): string {
  const given = reports
    .filter((report) => report.opinion && !report.shadow)
    .map(({ opinion }) => ({
      decided: opinion?.decision?.ruling === decided.ruling ? opinion.decision.reason : '',
      halted: opinion?.halt?.reason ?? '',
    }))
  const isWhole =
    joinReasons(...given.map((each) => each.decided)) === decided.reason &&
    joinReasons(...given.map((each) => each.halted)) === halt.reason
  const parts = isWhole ? given : [{ decided: decided.reason, halted: halt.reason }]
  return joinReasons(...parts.flatMap((each) => [...new Set([each.decided, each.halted])]))
}
