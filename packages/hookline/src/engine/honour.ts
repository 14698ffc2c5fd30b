import type { Dialect, EventName, EventRow, Failure, FailurePolicy, Hook, Note, Opinion, Where } from '../core/index.ts'
import { applyRewrite, effectsOf, forPerson, isSilent, note, unapprovedSentence, validate } from '../core/index.ts'

export type Honoured = { opinion: Opinion; notes: Note[] } | { failure: Failure }

/**
 * Keeps of an opinion what the event's row honours. Nothing is dropped silently, and a rewrite that does not fit the
 * field is a failure: going on with the old value would ignore what the hook answered.
 */
export function honour(event: EventName, row: EventRow, opinion: Opinion, current: unknown, hook: string): Honoured {
  if (isSilent(opinion)) return { opinion, notes: none }
  const notes: Note[] = []
  const kept: Opinion = { ...opinion }
  for (const effect of effectsOf(opinion)) {
    if (row.effects.includes(effect)) continue
    delete kept[effect]
    notes.push(note('effect-not-honoured', { event, effect }, { hook }))
  }
  if (kept.decision?.ruling === 'ask' && !row.asks) {
    kept.decision = { ...kept.decision, ruling: 'deny' }
    notes.push(note('ask-becomes-deny', { event }, { hook }))
  }
  const misfit = kept.rewrite && !fits(row, applyRewrite(current, kept.rewrite))
  if (misfit)
    return { failure: { kind: 'invalid-output', detail: `the rewrite does not fit the field ${row.rewrites}` } }
  return { opinion: kept, notes }
}

const none: Note[] = []

function fits(row: EventRow, value: unknown): boolean {
  const field = row.rewrites === undefined ? undefined : row.fields[row.rewrites]
  return value !== undefined && (field === undefined || field.fits(value) || validate(field.schema, value).ok)
}

/**
 * What a failure amounts to. Decided before it happens: by the hook's own policy, else by the event's row.
 * Closed denies, or halts where nothing can be denied; open is as if the hook were absent; warn tells the user.
 */
export function failureOpinion(
  hook: Hook,
  row: EventRow,
  failure: Failure,
  {
    restricted = false,
    refusal,
    where = hook.origin.where,
  }: { restricted?: boolean; refusal?: Dialect['reply']['refusal']; where?: Where } = {},
): Opinion {
  const policy = failurePolicy(hook, row)
  // Whoever stopped it need not be warned that it did not finish.
  if (failure.kind === 'aborted' && policy === 'warn') return {}
  const usual = `Hook "${hook.id}" failed (${failure.kind}): ${failure.detail}`
  // What nobody has approved could have written any id and any detail: the model reads none of it.
  if (failure.kind === 'untrusted' && policy === 'closed') return opinions.closed(unapprovedSentence.waits(where), row)
  if (!restricted) return opinions[policy](policy === 'closed' ? (refusal?.(failure, hook) ?? usual) : usual, row)
  const { message: _, ...refused } = opinions[policy](unapprovedSentence.failed(where), row)
  return policy === 'open' ? {} : { ...refused, message: [forPerson(usual, where)] }
}

export function failurePolicy(hook: Hook, row: EventRow): FailurePolicy {
  return hook.onFailure ?? row.failure
}

const opinions: Record<FailurePolicy, (reason: string, row: EventRow) => Opinion> = {
  closed(reason, row) {
    if (row.effects.includes('decision')) return { decision: { ruling: 'deny', reason } }
    return row.effects.includes('halt') ? { halt: { reason } } : { message: [reason] }
  },
  open: () => ({}),
  warn: (reason) => ({ message: [reason] }),
}
