import type { Asked, Decision, Event, Note, Opinion, Rewrite } from '../../core/index.ts'
import { type DecodedReply, eventRow, foldName, isRecord, note, parseJson } from '../../core/index.ts'
import { sanitise } from '../../core/sanitise.ts'

/** The reply of a hook as JSON on stdout, read. `reason` is what it gave as reason, wherever that went. */
export type ReadEnvelope = (DecodedReply & { ok: true; reason: string }) | (DecodedReply & { ok: false })

/** `block` is what most systems say for deny. Anything else, in any other case, is no ruling. */
const rulings: Partial<Record<string, Decision['ruling']>> = { allow: 'allow', ask: 'ask', deny: 'deny', block: 'deny' }

const known = [
  'version',
  'decision',
  'reason',
  'halt',
  'context',
  'rewrite',
  'updated_input',
  'replace',
  'message',
  'system_message',
  'metadata',
] as const
type Key = (typeof known)[number]
const foldedKeys = new Map<string, Key>(known.map((key) => [foldName(key), key]))

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
  const notes: Note[] = []
  const cleaned = new Set<string>()
  const texts = textReader(reply, cleaned)
  const ruling = readRuling(reply)
  for (const key of Object.keys(reply).filter((key) => !isKnown(key))) {
    const meant = foldedKeys.get(foldName(key))
    if (meant) throw new Misfit(`unknown key \`${key}\` in its reply. Did you mean \`${meant}\`?`)
    if (ruling === 'allow') throw new Misfit(`it allows, with a key that is not known: \`${key}\``)
    notes.push(note('reply-field-ignored', { field: key, dialect: 'native' }, { hook: hook.id }))
  }
  if ('version' in reply && reply['version'] !== 1) {
    if (ruling === 'allow') throw new Misfit('it allows, in a version of the reply that is not known')
    notes.push(
      note('reply-value-ignored', { field: 'version', detail: 'is not 1', dialect: 'native' }, { hook: hook.id }),
    )
  }

  const reason = texts.one('reason')
  const halt =
    typeof reply['halt'] === 'boolean' ? reply['halt'] && reason : texts.one('halt', '`true`, `false` or a string')
  const context = texts.several('context')
  const rewrite = readRewrite(reply, event)
  const message = [...texts.several('message'), ...texts.several('system_message')]
  const metadata = texts.map('metadata')
  const opinion: Opinion = {
    ...(ruling && { decision: { ruling, reason: reason || (ruling === 'deny' ? deniedBy(hook.id) : '') } }),
    ...((reply['halt'] === true || halt) && { halt: { reason: halt || haltedBy(hook.id) } }),
    ...(context.length > 0 && { context }),
    ...(rewrite && { rewrite }),
    ...(message.length > 0 && { message }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  }
  for (const effect of cleaned) notes.push(note('text-sanitised', { effect }, { hook: hook.id }))
  return { ok: true, opinion, notes, reason }
}

export const deniedBy = (id: string): string => `blocked by hook "${id}"`
export const haltedBy = (id: string): string => `halted by hook "${id}"`

/** Reads what people and models will see: without control characters, and without blank pieces. */
function textReader(reply: Record<string, unknown>, cleaned: Set<string>) {
  const clean = (value: unknown, key: string, wanted: string): string => {
    if (typeof value !== 'string') throw new Misfit(`\`${key}\` must be ${wanted}`)
    const text = sanitise(value)
    if (text !== value) cleaned.add(key)
    return text.trim() === '' ? '' : text
  }
  return {
    one: (key: Key, wanted = 'a string') => (key in reply ? clean(reply[key], key, wanted) : ''),
    several(key: Key): string[] {
      const values = key in reply ? [reply[key]].flat() : []
      return values.map((value) => clean(value, key, 'a string or a list of strings')).filter((text) => text !== '')
    },
    map(key: Key): Record<string, string> {
      const value = key in reply ? reply[key] : {}
      if (!isRecord(value)) throw new Misfit(`\`${key}\` must be an object of strings`)
      const entries = Object.entries(value)
      return Object.fromEntries(
        entries.map(([name, text]) => [sanitise(name), clean(text, key, 'an object of strings')]),
      )
    },
  }
}

const isKnown = (key: string): key is Key => known.includes(key as Key)

function readRuling(reply: Record<string, unknown>): Decision['ruling'] | undefined {
  const value = reply['decision']
  if (value === undefined) return undefined
  const ruling = typeof value === 'string' && Object.hasOwn(rulings, value) ? rulings[value] : undefined
  if (!ruling) throw new Misfit('`decision` must be `allow`, `ask` or `deny`')
  return ruling
}

const rewriteKeys = ['rewrite', 'updated_input', 'replace'] as const

function readRewrite(reply: Record<string, unknown>, event: Event): Rewrite | undefined {
  const given = rewriteKeys.filter((key) => key in reply)
  const [key] = given
  if (key === undefined) return undefined
  if (given.length > 1) throw new Misfit(`it has both \`${given.join('` and `')}\`, and only one can hold`)
  const value = reply[key]
  if (key === 'replace') return { mode: 'replace', value }
  if (!isRecord(value)) throw new Misfit(`\`${key}\` must be an object; for anything else use \`replace\``)
  refuseOtherTool(value, event)
  return { mode: 'merge', value }
}

/** A patch that names the tool was meant to change which tool runs; merged, it would be one more argument instead. */
function refuseOtherTool(patch: Record<string, unknown>, event: Event): void {
  const { rewrites, subject } = eventRow(event.name)
  const tool = subject.tool
  if (tool === undefined || rewrites === undefined || !(tool in patch)) return
  const current = event.payload[rewrites]
  if (isRecord(current) && tool in current) return
  throw new Misfit(`its rewrite has \`${tool}\`: a hook can change the ${rewrites}, but not which tool is called`)
}

const onlyAnswers =
  'Print nothing, or one JSON object; what programs say besides belongs on standard error: put `>&2` after them.'

function refuse(detail: string, remedy?: string): ReadEnvelope {
  return { ok: false, failure: { kind: 'invalid-output', detail, ...(remedy !== undefined && { remedy }) } }
}
