import { type DecodedReply, type EventName, eventRow, note } from '../../core/index.ts'

/**
 * An `allow` beside a new input vouches for that input. Where the event takes no new one, it says nothing of the old:
 * heard, it would let through what the hook wanted changed.
 */
export function vouched(decoded: DecodedReply, event: EventName, dialect: string): DecodedReply {
  if (!decoded.ok || !decoded.opinion.rewrite || eventRow(event).effects.includes('rewrite')) return decoded
  const { decision, ...opinion } = decoded.opinion
  if (decision?.ruling !== 'allow') return decoded
  const detail = 'is `allow` for an input that cannot be changed here, so it was not heard'
  return {
    ok: true,
    opinion,
    notes: [...decoded.notes, note('reply-value-ignored', { field: 'decision', detail, dialect })],
  }
}
