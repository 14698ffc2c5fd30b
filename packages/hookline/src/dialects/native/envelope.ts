import type { Asked, DecodedReply, Event, Note, Opinion, ReplyFields } from '../../core/index.ts'
import { effectNames, effectRow, eventRow, foldName, isRecord, note, parseJson, sanitise } from '../../core/index.ts'

/** The reply of a hook as JSON on stdout, read. `reason` is what it gave as reason, wherever that went. */
export type ReadEnvelope = (DecodedReply & { ok: true; reason: string }) | (DecodedReply & { ok: false })

/** The effect table says which keys there are, and how they are read. */
const known = ['version', ...effectNames.flatMap((name) => effectRow(name).reply.keys)]
const foldedKeys = new Map(known.map((key) => [foldName(key), key]))

/** Why a reply cannot be understood. Its own class, so that a fault of ours is not taken for one of the hook's. */
class Misfit extends Error {}

/**
 * Exactly one JSON object, or nothing. What we do not know is noted, but a reply that grants must be understood
 * entirely: `allow` with a condition we cannot read is not an allow.
 */
export function readEnvelope(stdout: string, asked: Asked): ReadEnvelope {
  if (stdout.trim() === '') return { ok: true, opinion: {}, notes: [], reason: '' }
  const parsed = parseJson(stdout)
  if (!parsed.ok) return refuse(`its output cannot be read as one JSON object: ${parsed.detail}`, onlyAnswers)
  if (!isRecord(parsed.value)) return refuse('its output is JSON, but not an object', onlyAnswers)
  try {
    return readFields(parsed.value, asked)
  } catch (error) {
    if (error instanceof Misfit) return refuse(error.message)
    throw error
  }
}

function readFields(reply: Record<string, unknown>, { hook, event }: Asked): ReadEnvelope {
  const cleaned = new Set<string>()
  const fields = replyFields(reply, hook.id, cleaned)
  const opinion: Record<string, unknown> = {}
  for (const name of effectNames) {
    const value = effectRow(name).reply.read(fields)
    if (value !== undefined) opinion[name] = value
  }
  refuseOtherTool(opinion, event)
  const notes = [
    ...unknownParts(reply, opinion, hook.id),
    ...[...cleaned].map((effect) => note('text-sanitised', { effect }, { hook: hook.id })),
  ]
  return { ok: true, opinion, notes, reason: fields.text('reason') }
}

/** Keys and versions that we do not know are noted; beside an `allow`, they make it one that was not understood. */
function unknownParts(reply: Record<string, unknown>, { decision, halt }: Opinion, hook: string): Note[] {
  const allows = decision?.ruling === 'allow'
  const isSilent = decision === undefined && halt === undefined
  const notes: Note[] = []
  for (const key of Object.keys(reply).filter((key) => !known.includes(key))) {
    const meant = foldedKeys.get(foldName(key))
    if (meant) throw new Misfit(`unknown key \`${key}\` in its reply. Did you mean \`${meant}\`?`)
    if (allows) throw new Misfit(`it allows, with a key that is not known: \`${key}\``)
    if (isSilent && refuses(key, reply[key]))
      throw new Misfit(`\`${key}\` is not how a hook refuses here. Write \`{"decision": "deny", "reason": "…"}\``)
    notes.push(note('reply-field-ignored', { field: key, dialect: 'native' }, { hook }))
  }
  if ('version' in reply && reply['version'] !== 1) {
    if (allows) throw new Misfit('it allows, in a version of the reply that is not known')
    notes.push(note('reply-value-ignored', { field: 'version', detail: 'is not 1', dialect: 'native' }, { hook }))
  }
  return notes
}

/** Whether a key that we do not know was meant to refuse, as in another system's reply: a guard that is not understood is not passed over. */
function refuses(key: string, value: unknown): boolean {
  if (isRecord(value)) return Object.entries(value).some(([name, inner]) => !isRecord(inner) && refuses(name, inner))
  if (typeof value === 'string')
    return /^(?:deny|denied|block|blocked|ask|reject|rejected|refuse|refused|halt)$/i.test(value)
  const name = foldName(key)
  return (value === true && refusing.has(name)) || (value === false && granting.has(name))
}

const refusing = new Set([
  'deny',
  'denied',
  'block',
  'blocked',
  'reject',
  'rejected',
  'refuse',
  'refused',
  'halt',
  'stop',
])
const granting = new Set(['allow', 'allowed', 'approve', 'approved', 'continue', 'permit', 'permitted', 'proceed'])

/** What people and models will see comes without control characters, and without blank pieces. */
function replyFields(reply: Record<string, unknown>, hook: string, cleaned: Set<string>): ReplyFields {
  const clean = (value: unknown, key: string, wanted: string): string => {
    if (typeof value !== 'string') throw new Misfit(`\`${key}\` must be ${wanted}`)
    const text = sanitise(value)
    if (text !== value) cleaned.add(key)
    return text.trim() === '' ? '' : text
  }
  return {
    hook,
    has: (key) => key in reply,
    value: (key) => reply[key],
    text: (key, wanted = 'a string') => (key in reply ? clean(reply[key], key, wanted) : ''),
    texts(key) {
      const values = key in reply ? [reply[key]].flat() : []
      return values.map((value) => clean(value, key, 'a string or a list of strings')).filter((text) => text !== '')
    },
    textByKey(key) {
      const value = key in reply ? reply[key] : {}
      if (!isRecord(value)) throw new Misfit(`\`${key}\` must be an object of strings`)
      const entries = Object.entries(value)
      return Object.fromEntries(
        entries.map(([name, text]) => [sanitise(name), clean(text, key, 'an object of strings')]),
      )
    },
    refuse(detail) {
      throw new Misfit(detail)
    },
  }
}

/** A patch that names the tool was meant to change which tool runs; merged, it would be one more argument instead. */
function refuseOtherTool({ rewrite }: Opinion, event: Event): void {
  const { rewrites, subject } = eventRow(event.name)
  const tool = subject.tool
  if (rewrite?.mode !== 'merge' || tool === undefined || rewrites === undefined) return
  if (!isRecord(rewrite.value) || !(tool in rewrite.value)) return
  const current = event.payload[rewrites]
  if (isRecord(current) && tool in current) return
  throw new Misfit(`its rewrite has \`${tool}\`: a hook can change the ${rewrites}, but not which tool is called`)
}

const onlyAnswers =
  'Print nothing, or one JSON object; what programs say besides belongs on standard error: put `>&2` after them.'

function refuse(detail: string, remedy?: string): ReadEnvelope {
  return { ok: false, failure: { kind: 'invalid-output', detail, ...(remedy !== undefined && { remedy }) } }
}
