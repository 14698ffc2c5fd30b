import type { Audience, Payload, Verdict } from '../core/index.ts'
import { HooklineError, joined, note, outcomeOf } from '../core/index.ts'
import type { GuardedCall, GuardOptions, Raise, Step } from './contract.ts'
import { jsonView, NotShown, ownCopy } from './json-view.ts'

/** One call on its way through its events. */
export interface Line<I extends object> {
  raise: Raise
  options: GuardOptions<I, never, never>
  /** Absent: nobody stops the call. */
  signal: AbortSignal | undefined
  tool: string
  id: string
  /** The input as it was given. */
  input: I
  /** What every event of the call carries. The same object for all of them: nobody changes it. */
  about(input: I): Payload<'pre_tool_use'>
  verdicts: Verdict[]
}

export function makeLine<I extends object>(
  raise: Raise,
  call: GuardedCall<I>,
  options: GuardOptions<I, never, never>,
  audience: Audience,
): Line<I> {
  const { tool_input, tool_use_id: id = globalThis.crypto.randomUUID(), ...common } = call
  const verdicts: Verdict[] = []
  /** Inputs are our own copies, which nobody changes: most calls have one, and each is looked at once. */
  let seen: { input: I; about: Payload<'pre_tool_use'> } | undefined
  return {
    async raise(event, payload, given) {
      const verdict = await raise(event, payload, audience === 'person' ? given : joined(given ?? {}, { audience }))
      verdicts.push(verdict as unknown as Verdict)
      return verdict
    },
    options,
    signal: options.signal,
    tool: call.tool_name,
    id,
    // What hooks judge is what runs, whatever the caller does to its object meanwhile.
    input: ownCopy(tool_input),
    about(input) {
      if (input !== seen?.input) seen = { input, about: joined(common, { tool_use_id: id, tool_input: shown(input) }) }
      return seen.about
    },
    verdicts,
  }
}

/** For a function of the host, which may listen to it: a signal of its own, where nobody gave one. */
export const signalOf = (given: AbortSignal | undefined): AbortSignal => given ?? new AbortController().signal

function shown(input: object): Record<string, unknown> {
  try {
    return jsonView(input) as Record<string, unknown>
  } catch (error) {
    if (!(error instanceof NotShown)) throw error
    throw new HooklineError(
      note('payload-invalid', { event: 'pre_tool_use', path: 'tool_input', detail: error.message }),
    )
  }
}

/** What the verdicts of a call add up to for whoever made it. */
export function told(verdicts: readonly Verdict[]) {
  return {
    messages: [...new Set(verdicts.flatMap(({ message }) => message ?? []))],
    metadata: Object.assign({}, ...verdicts.map(({ metadata }) => metadata)) as Record<string, string>,
    steps: verdicts.map(stepOf),
  }
}

function stepOf(verdict: Verdict): Step {
  const { event, notes } = verdict
  const reports = verdict.reports.map(({ opinion: _, ...report }) => report)
  return { event, outcome: outcomeOf(verdict), reports, notes }
}
