import type { ConfigFile } from '../config/index.ts'
import { type EventName, foldName } from '../core/index.ts'
import { type Invocation, type Option, texts } from './command.ts'

/**
 * Hooks given at the command line, as docker-agent has them (`docker agent run --hook-pre-tool-use …`): appended to all
 * others, for every tool, and in docker-agent's language. Whoever types them vouches for them.
 */
const moments = {
  pre_tool_use: 'before every tool call',
  post_tool_use: 'after every tool call',
  session_start: 'when a session starts',
  session_end: 'when a session ends',
  on_user_input: 'when the agent waits for input',
  stop: 'when the model finishes responding',
} as const satisfies Partial<Record<EventName, string>>

const flagOf = (event: string) => `hook-${event.replaceAll('_', '-')}`

/** For every command that asks hooks, or tells which would be asked. */
export const hookFlags: Readonly<Record<string, Option>> = Object.fromEntries(
  Object.entries(moments).map(([event, when]) => [
    flagOf(event),
    { value: 'command', multiple: true, doc: `Run this command ${when}, beside all hooks.` },
  ]),
)

/** What the flags amount to: a config of its own, that stands in no file. */
export function flaggedHooks(values: Invocation['values']): ConfigFile[] {
  const given = Object.keys(moments).map((event) => ({ event, commands: texts(values[flagOf(event)]) }))
  const entries = given.filter(({ commands }) => commands.length > 0)
  if (entries.length === 0) return []
  const hooks = Object.fromEntries(entries.map(({ event, commands }) => [event, blockOf(event, commands)]))
  return [{ file: 'the command line', layer: 'session', dialect: 'docker-agent', text: JSON.stringify({ hooks }) }]
}

function blockOf(event: string, commands: readonly string[]): unknown {
  const hooks = commands.map((command) => ({ type: 'command', command }))
  return foldName(event).endsWith('tooluse') ? [{ matcher: '*', hooks }] : hooks
}
