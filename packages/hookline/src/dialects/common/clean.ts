import { type DecodedReply, note, type Opinion } from '../../core/index.ts'
import { sanitise } from '../../core/sanitise.ts'

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
