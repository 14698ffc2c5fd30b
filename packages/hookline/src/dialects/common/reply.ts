import {
  type Decision,
  type DecodedReply,
  deniedBy,
  type EventName,
  eventRow,
  isRecord,
  joinReasons,
  note,
  type Opinion,
  rulings,
  sanitise,
  type WireReply,
} from '../../core/index.ts'

/** What one field of a reply must be; `words` say it to people, and `fields` are those of an object inside. */
export interface Kind {
  words: string
  fits(value: unknown): boolean
  fields?: Record<string, Kind>
}

export const text: Kind = { words: 'a string', fits: (value) => typeof value === 'string' }
export const flag: Kind = { words: 'true or false', fits: (value) => typeof value === 'boolean' }
export const object: Kind = { words: 'an object', fits: isRecord }

/**
 * Reads the fields of a reply: those it knows, and the names of those it does not; as text, what does not fit. `null` is
 * absent. By hand, not by schema: this runs for every answer. `spelt` is how a key is read that is not there as written.
 */
export function readFields<T extends object>(
  value: unknown,
  kinds: Record<string, Kind>,
  spelt: (key: string) => string = (key) => key,
): (T & { unknown: string[] }) | string {
  const unknown: string[] = []
  try {
    return { ...(read(value, kinds, '') as T), unknown }
  } catch (misfit) {
    if (typeof misfit === 'string') return misfit
    throw misfit
  }

  function read(part: unknown, expected: Record<string, Kind>, path: string): object {
    if (!isRecord(part)) throw `\`${path || 'the output'}\` must be an object`
    const found: Record<string, unknown> = {}
    for (const [written, item] of Object.entries(part)) {
      const key = Object.hasOwn(expected, written) ? written : spelt(written)
      const kind = Object.hasOwn(expected, key) ? expected[key] : undefined
      if (!kind) unknown.push(path + written)
      else if (item !== null && !kind.fits(item)) throw `\`${path}${key}\` must be ${kind.words}`
      else if (item !== null) found[key] = kind.fields ? read(item, kind.fields, `${path}${key}.`) : item
    }
    return found
  }
}

/** What people and models will read of a reply, without control characters; that they were there is noted. */
export function cleanReply(decoded: DecodedReply): DecodedReply {
  if (!decoded.ok) return { ok: false, failure: { ...decoded.failure, detail: sanitise(decoded.failure.detail) } }
  const { decision, halt, context, message } = decoded.opinion
  const cleaned: Opinion = {
    ...(decision && { decision: { ...decision, reason: sanitise(decision.reason) } }),
    ...(halt && { halt: { reason: sanitise(halt.reason) } }),
    ...(context && { context: context.map(sanitise) }),
    ...(message && { message: message.map(sanitise) }),
  }
  const changed = (Object.keys(cleaned) as (keyof Opinion)[]).filter(
    (effect) => JSON.stringify(cleaned[effect]) !== JSON.stringify(decoded.opinion[effect]),
  )
  if (changed.length === 0) return decoded
  const notes = changed.map((effect) => note('text-sanitised', { effect }))
  return { ok: true, opinion: { ...decoded.opinion, ...cleaned }, notes: [...decoded.notes, ...notes] }
}

/** The end of stderr is where programs say what went wrong. */
const tailLength = 400

/** An exit code that is no answer. */
export function exitFailure({ exit, stderr }: WireReply, remedy: string): DecodedReply {
  const text = stderr.trim()
  const tail = text.length > tailLength ? `…${text.slice(-tailLength)}` : text
  return { ok: false, failure: { kind: 'exit', detail: `it exited with code ${exit}${tail && `: ${tail}`}`, remedy } }
}

/** An output that cannot be read as an answer. */
export function invalidOutput(detail: string, remedy: string): DecodedReply {
  return { ok: false, failure: { kind: 'invalid-output', detail, remedy } }
}

/**
 * An `allow` beside a new input allows that input only. Where the event takes no new input, the `allow` is dropped: it
 * would let through the old input, which the hook wanted changed.
 */
export function withoutMisplacedAllow(decoded: DecodedReply, event: EventName, dialect: string): DecodedReply {
  if (!decoded.ok || !decoded.opinion.rewrite || eventRow(event).effects.includes('rewrite')) return decoded
  const { decision, ...opinion } = decoded.opinion
  if (decision?.ruling !== 'allow') return decoded
  const detail = 'is `allow` for an input that cannot be changed here, so it was ignored'
  return {
    ok: true,
    opinion,
    notes: [...decoded.notes, note('reply-value-ignored', { field: 'decision', detail, dialect })],
  }
}

/** Of two decisions in one reply, the stricter; a reason that is given twice is kept once. */
export function stricter(one: Decision | undefined, other: Decision | undefined): Decision | undefined {
  if (!one || !other) return one ?? other
  const difference = rulings.indexOf(other.ruling) - rulings.indexOf(one.ruling)
  if (difference !== 0) return difference > 0 ? other : one
  return one.reason === other.reason ? one : { ...one, reason: joinReasons(one.reason, other.reason) }
}

/** A refusal always says why, if only who refused; an agent that is sent back needs something to act on. */
export function withReason(decoded: DecodedReply, hook: string): DecodedReply {
  if (!decoded.ok || decoded.opinion.decision?.ruling !== 'deny' || decoded.opinion.decision.reason) return decoded
  return { ...decoded, opinion: { ...decoded.opinion, decision: { ruling: 'deny', reason: deniedBy(hook) } } }
}
