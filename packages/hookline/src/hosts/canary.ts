import { type EventName, isRecord } from '../core/index.ts'

/** A command that no agent has a reason to run: it is refused wherever Hookline is at work, and so proves that it is. */
export const canaryCommand = 'hookline-canary'

export function isCanary(event: EventName, { tool_input: input }: Readonly<Record<string, unknown>>): boolean {
  return event === 'pre_tool_use' && isRecord(input) && Object.values(input).flat().includes(canaryCommand)
}

export const canaryReason = 'This is the canary of Hookline: hooks are at work here.'
