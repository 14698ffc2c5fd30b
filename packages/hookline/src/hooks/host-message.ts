import type { Dialect, Verdict } from '../core/index.ts'
import { eventRow, joinReasons, note } from '../core/index.ts'

/**
 * A message of the user that hooks have changed, as far as the host takes it. Where it can only be given more context, what
 * was added around the message is that; any other change must not be lost, so the message is refused, with the new text.
 */
export function deliverMessage(
  { name, rewrites }: Pick<Dialect, 'name' | 'rewrites'>,
  raised: Readonly<Record<string, unknown>>,
  verdict: Verdict,
): Verdict {
  const taken = rewrites?.message ?? 'taken'
  const { event, rewrite, payload, decision, halt, notes } = verdict
  const field = eventRow(event).rewrites
  if (taken === 'taken' || !rewrite || field === undefined || halt || decision?.ruling === 'deny') return verdict
  const before = textOf(raised[field])
  const after = textOf(payload[field])
  // What else hooks change before the model sees it (its messages, a summary) has a field in the reply, or none at all.
  if (before === undefined || after === undefined || eventRow(event).failure !== 'closed') return verdict
  const { rewrite: _dropped, ...rest } = verdict
  const unchanged = { ...rest, payload: { ...payload, [field]: raised[field] } }
  const added = taken === 'as-context' ? around(before, after) : undefined
  if (added) return { ...unchanged, context: [...(verdict.context ?? []), ...added] }
  const reason = `A hook changed this message, and ${name} cannot send it changed. Send this instead: ${after}`
  return {
    ...unchanged,
    decision: { ruling: 'deny', reason: joinReasons(decision?.reason ?? '', reason) },
    notes: [...notes, note('rewrite-refused', { host: name, what: 'a new text of a message' })],
  }
}

/** What stands before and after the old text in the new one; undefined when the old text is not there whole. */
function around(before: string, after: string): string[] | undefined {
  const at = after.indexOf(before)
  if (before === '' || at < 0) return undefined
  return [after.slice(0, at), after.slice(at + before.length)].map((part) => part.trim()).filter(Boolean)
}

/** The text of a message, or of several together. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value.join('\n') : undefined
}
