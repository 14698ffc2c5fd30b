import type { EventRow, Failure, FailurePolicy, Hook, Opinion } from '../core/index.ts'

/**
 * What a failure amounts to. Decided before it happens: by the hook's own policy, else by the event's row.
 * Closed denies, or halts where nothing can be denied; open is as if the hook were absent; warn tells the user.
 */
export function failureOpinion(hook: Hook, row: EventRow, failure: Failure): Opinion {
  const said = sentences[failurePolicy(hook, row)]
  return said(`Hook "${hook.id}" failed (${failure.kind}): ${failure.detail}`, row)
}

export function failurePolicy(hook: Hook, row: EventRow): FailurePolicy {
  return hook.onFailure ?? row.failure
}

const sentences: Record<FailurePolicy, (reason: string, row: EventRow) => Opinion> = {
  closed(reason, row) {
    if (row.effects.includes('decision')) return { decision: { ruling: 'deny', reason } }
    return row.effects.includes('halt') ? { halt: { reason } } : { message: [reason] }
  },
  open: () => ({}),
  warn: (reason) => ({ message: [reason] }),
}
