import type { EventName } from '../core/index.ts'
import { entryCommand, isClosed } from './entry.ts'
import type { Host } from './host.ts'
import type { Entry, Ours } from './setup.ts'

/** Events under the names of Claude Code, which most others have taken over. */
export const claudesEvents = {
  session_start: 'SessionStart',
  session_end: 'SessionEnd',
  user_prompt_submit: 'UserPromptSubmit',
  pre_tool_use: 'PreToolUse',
  permission_request: 'PermissionRequest',
  post_tool_use: 'PostToolUse',
  post_tool_use_failure: 'PostToolUseFailure',
  stop: 'Stop',
  subagent_start: 'SubagentStart',
  subagent_stop: 'SubagentStop',
  pre_compact: 'PreCompact',
  notification: 'Notification',
} as const satisfies Partial<Record<EventName, string>>

type Named = Pick<Host, 'name' | 'events' | 'refusesBy'>

/** What the host runs at an event. */
export const lineOf = (
  { name, refusesBy }: Pick<Host, 'name' | 'refusesBy'>,
  { entry }: Pick<Ours, 'entry'>,
  event: EventName,
): string => entryCommand({ entry, host: name, event, closed: isClosed(event), byExitCode: refusesBy !== undefined })

/** How long a host waits for our entry, in seconds. The entry itself gives up before. */
export const hostWaits = 60

export interface GroupStyle {
  /** What its `timeout` counts; always written, since defaults reach from 1.5 seconds to ten minutes. */
  unit: 's' | 'ms'
  /** What matches every tool, at events that are about one; absent: no matcher matches all. */
  matcher?: string
  /** Seconds, where an event may not have as long as others. */
  limits?: Partial<Record<EventName, number>>
  /** What else stands in every handler, and at events where something waits to be refused. */
  more?: Readonly<Record<string, unknown>>
  closed?: Readonly<Record<string, unknown>>
}

/** Entries as Claude Code has them, and most others after it: a list of groups for each event, of one handler each. */
export function groups(host: Named, ours: Ours, { unit, matcher, limits = {}, more, closed }: GroupStyle): Entry[] {
  return (Object.entries(host.events) as [EventName, string][]).map(([event, theirs]) => {
    const timeout = (limits[event] ?? hostWaits) * (unit === 'ms' ? 1000 : 1)
    const handler = {
      type: 'command',
      command: lineOf(host, ours, event),
      timeout,
      ...more,
      ...(isClosed(event) && closed),
    }
    const isAboutTool = /_tool_use|permission_request/.test(event)
    return {
      path: ['hooks', theirs],
      value: { ...(matcher !== undefined && isAboutTool && { matcher }), hooks: [handler] },
    }
  })
}

/** What a host with the payloads of Claude Code says before a call of its shell. */
export const claudesCall =
  (tool: string) =>
  (command: string, project: string): Record<string, unknown> => ({
    session_id: 'canary',
    cwd: project,
    hook_event_name: 'PreToolUse',
    tool_name: tool,
    tool_input: { command },
  })
