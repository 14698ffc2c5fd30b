import { approve } from './approve.ts'
import type { Execute, GuardedCall, GuardOptions, Raise, Rewritable, ToolOutcome } from './contract.ts'
import { notRun } from './judge-tool.ts'
import { makeLine } from './line.ts'
import { perform } from './perform.ts'

/**
 * One tool call from start to end, around any function: pre_tool_use → tool_guard on the final input → the host's rules →
 * permission_request → the person → on_tool_approval_decision → run → tool_response_transform → post_tool_use or
 * post_tool_use_failure. A failed call raises both: systems with only one event for it use `post_tool_use`.
 *
 * `execute` runs at most once, only when all of this allows it, and with the final input. What comes back is final too.
 * It rejects only when an event could not be raised at all, or when a function of the host throws.
 */
export async function guardTool<I extends object, O, F = Rewritable<O>>(
  raise: Raise,
  call: GuardedCall<I>,
  execute: Execute<I, O>,
  options: GuardOptions<I, O, F> = {},
): Promise<ToolOutcome<I, F>> {
  const given = options as GuardOptions<I, never, never>
  const line = makeLine(raise, call, given, options.ask ? 'person' : 'nobody')
  const decided = await approve(line)
  const { decision, input, source, context } = decided
  return decision === 'allow' ? perform(line, input, source, context, execute, options) : notRun(line, decided)
}
