import type {
  Asked,
  Decoded,
  DecodedReply,
  EventName,
  Failure,
  Hook,
  Note,
  Opinion,
  Verdict,
  WireReply,
} from '../../core/index.ts'
import { isRecord, note, parseJson, plainText } from '../../core/index.ts'
import { jsonReply, type Lost, noteLost, noteLostEffects, refusalOf } from '../common/encode.ts'
import { cleanReply, invalidOutput } from '../common/reply.ts'
import { rowOf } from './names.ts'

/** "Three accepted shapes, tried in this order": nothing, a JSON decision, and anything else, which is an error. */
export function decodeReply(reply: WireReply, { event: { name } }: Asked): DecodedReply {
  const text = reply.stdout.trimStart()
  if (text === '') return cleanReply(decodeExit(reply, name))
  if (text.startsWith('{')) return cleanReply(decodeDecision(text, reply.stderr.trim(), name))
  return cleanReply(unreadable(`hook stdout is not JSON (it begins: ${text.trimEnd().slice(0, 80)})`))
}

/** "Exit 0 = allow; non-zero = block (stderr surfaced as the block reason). This is the Git-hook escape hatch." */
function decodeExit({ exit, stderr }: WireReply, event: EventName): DecodedReply {
  if (exit === 0) return { ok: true, opinion: {}, notes: [] }
  const notes: Note[] = []
  const opinion = block(stderr.trim() || 'hook exited non-zero', `exit code ${exit}`, event, notes)
  return { ok: true, opinion, notes }
}

/** "block — treat as {"decision": "block", "reason": "hook failed"}"; which one, and why, follows. */
export const refusal = ({ kind, detail }: Failure, { id }: Hook): string => `hook failed: "${id}" (${kind}): ${detail}`

const texts = ['decision', 'reason', 'user_message'] as const
const known: readonly string[] = [...texts, 'patch']

/** Where there is JSON, the exit code says nothing. */
function decodeDecision(text: string, stderr: string, event: EventName): DecodedReply {
  const parsed = parseJson(text)
  if (!parsed.ok) return unreadable(`hook stdout is not valid JSON: ${parsed.detail}`)
  if (!isRecord(parsed.value)) return unreadable('hook stdout is JSON, but not an object')
  const fields = parsed.value
  for (const key of texts)
    if (fields[key] !== undefined && fields[key] !== null && typeof fields[key] !== 'string')
      return unreadable(`\`${key}\` must be a string`)
  const notes = Object.keys(fields)
    .filter((key) => !known.includes(key))
    .map((field) => note('reply-field-ignored', { field, dialect }))
  const understand = decisions.get((fields['decision'] as string | null | undefined) ?? 'allow')
  if (!understand) return unreadable(`unknown hook decision \`${plainText(fields['decision'])}\``)
  const opinion = understand(fields as Fields, stderr, event, notes)
  return typeof opinion === 'string' ? unreadable(opinion) : { ok: true, opinion, notes }
}

interface Fields {
  reason?: string | null
  user_message?: string | null
  patch?: unknown
}
/** An opinion; as text, why it is none. */
type Understand = (fields: Fields, stderr: string, event: EventName, notes: Note[]) => Opinion | string

const words: Record<'allow' | 'block' | 'mutate', Understand> = {
  allow(fields, _stderr, _event, notes) {
    mentionUnused(fields, notes)
    if (fields.patch !== undefined && fields.patch !== null)
      notes.push(ignored('patch', 'is read only beside `"decision": "mutate"`'))
    return {}
  },
  // "stderr: never shown to the model unless decision == "block" with no reason"
  block({ reason, user_message }, stderr, event, notes) {
    const opinion = block(reason || stderr || 'hook blocked', '`decision`', event, notes)
    return opinion.decision && user_message ? { ...opinion, message: [user_message] } : opinion
  },
  mutate(fields, _stderr, event, notes) {
    const { patch } = fields
    if (patch === undefined || patch === null) return 'hook decision `mutate` missing `patch`'
    mentionUnused(fields, notes)
    return mutate(patch, event, notes)
  },
}
const decisions = new Map(Object.entries(words))

function block(reason: string, by: string, event: EventName, notes: Note[]): Opinion {
  if (rowOf(event).blocks) return { decision: { ruling: 'deny', reason } }
  notes.push(ignored(by.replaceAll('`', ''), `asks to block ${event}, which cannot be (${reason})`))
  return {}
}

function mutate(patch: unknown, event: EventName, notes: Note[]): Opinion {
  if (!isRecord(patch)) {
    notes.push(ignored('patch', 'is not an object'))
    return {}
  }
  const readable = rowOf(event).patch
  let opinion: Opinion = {}
  for (const [key, value] of Object.entries(patch)) {
    const part = readable.includes(key) ? patches[key]?.(value, notes) : `means nothing on ${event}`
    if (typeof part === 'string') notes.push(ignored(`patch.${key}`, part))
    else opinion = { ...opinion, ...part, ...joined(opinion.context, part?.context) }
  }
  return opinion
}

/** What each key of a patch asks for; as text, why it is ignored. */
const patches: Partial<Record<string, (value: unknown, notes: Note[]) => Opinion | string>> = {
  arguments: (value) => (isRecord(value) ? { rewrite: { mode: 'merge', value } } : 'is not an object'),
  message: (value) => (typeof value === 'string' ? { rewrite: { mode: 'replace', value } } : 'is not a string'),
  result: (value) => ({ rewrite: { mode: 'replace', value } }),
  additional_context: (value) => (typeof value === 'string' ? { context: [value] } : 'is not a string'),
  error(value, notes) {
    if (typeof value !== 'string') return 'is not a string'
    const detail = 'a result does not become an error here; the model reads the words beside it'
    notes.push(note('rewrite-dropped', { detail, fix: 'Set `patch.result` too if the result must not be seen.' }))
    return { context: [value] }
  },
}

function joined(one: string[] | undefined, other: string[] | undefined): Pick<Opinion, 'context'> {
  const context = [...(one ?? []), ...(other ?? [])]
  return context.length > 0 ? { context } : {}
}

/** "String shown in audit/UI": the note is where it is shown, as nothing was refused. */
function mentionUnused({ reason, user_message }: Fields, notes: Note[]): void {
  if (reason) notes.push(ignored('reason', `says "${reason}", but nothing was blocked`))
  if (user_message) notes.push(ignored('user_message', `says "${user_message}", but nothing was blocked`))
}

const dialect = 'everruns'
const unreadable = (detail: string) =>
  invalidOutput(detail, 'Print nothing, or one JSON object such as `{"decision": "allow"}`.')
const ignored = (field: string, detail: string) => note('reply-value-ignored', { field, detail, dialect })

/** Always exit 0 and a JSON decision, or nothing at all when there is nothing to say. */
export function encodeReply(verdict: Verdict): Decoded<WireReply> {
  const notes: Note[] = []
  const lost = noteLost(notes, 'everruns')
  const output = blocking(verdict, lost, notes) ?? mutating(verdict, lost)
  const supported = ['decision', 'halt', 'context', 'rewrite', 'message'] as const
  noteLostEffects(verdict, lost, supported, { metadata: 'Say it in the reason of a block.' })
  return jsonReply(output, notes)
}

function blocking(verdict: Verdict, lost: Lost, notes: Note[]) {
  const refusal = refusalOf(verdict)
  if (!refusal) return undefined
  const { event, decision, halt, message, rewrite, context } = verdict
  if (!rowOf(event).blocks) {
    lost(halt ? 'Ending the run (`halt`)' : 'A denial', `${event} cannot be blocked there.`)
    return undefined
  }
  if (halt) lost('Ending the run (`halt`)', 'Only this one event is blocked.')
  if (decision?.ruling === 'ask') notes.push(note('ask-becomes-deny', { event }))
  if (rewrite || context?.length)
    lost('A rewrite or context beside a block', 'Nothing of it is needed once it is blocked.')
  return {
    decision: 'block',
    ...(refusal.reason && { reason: refusal.reason }),
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
