import type { DecodedReply } from '../../core/index.ts'
import { deniedBy } from '../native/envelope.ts'

/** A refusal always says why, if only who refused; an agent that is sent back needs something to act on. */
export function withReason(decoded: DecodedReply, hook: string): DecodedReply {
  if (!decoded.ok || decoded.opinion.decision?.ruling !== 'deny' || decoded.opinion.decision.reason) return decoded
  return { ...decoded, opinion: { ...decoded.opinion, decision: { ruling: 'deny', reason: deniedBy(hook) } } }
}
