import type { EventName } from '../../core/index.ts'
import { eventFinder } from '../common/config.ts'

/** "Crush currently supports just one hook, `PreToolUse`." */
export const theirNames: Partial<Record<EventName, string>> = { pre_tool_use: 'PreToolUse' }

/** "`PreToolUse`, `pretooluse`, `PRETOOLUSE`, `pre_tool_use`, and `PRE_TOOL_USE` all work." */
export const findTheirs = eventFinder(theirNames)

export const theirName = (event: EventName): string => theirNames[event] ?? event
