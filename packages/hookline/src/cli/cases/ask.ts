import {
  type Dialect,
  didYouMean,
  type EventName,
  eventNamed,
  HooklineError,
  isRecord,
  note,
  type Verdict,
} from '../../core/index.ts'
import { loadDialect } from '../../dialects/index.ts'
import type { Hooks } from '../../hooks/index.ts'
import type { Given } from './schema.ts'

/** An event as a case gives it, understood. */
export interface Question {
  event: EventName
  payload: Record<string, unknown>
  dialect: Dialect
  /** The payload in the shape of the dialect. */
  written: Record<string, unknown>
}

/** Which event a short form stands for. */
const usual = { tool: 'pre_tool_use', prompt: 'user_prompt_submit' } as const

/** Throws when the payload is none of this event's. `session` fills in what it leaves out. */
export async function questionOf(given: Given, session: Record<string, unknown>): Promise<Question> {
  const { tool, command, input, prompt, payload = {}, dialect: name = 'native' } = given
  const dialect = await loadDialect(name)
  const own = payload['tool_input']
  const args = { ...(isRecord(own) ? own : {}), ...input, ...(command !== undefined && { command }) }
  const written = {
    ...session,
    ...payload,
    ...(prompt !== undefined && { prompt }),
    ...(tool !== undefined && { tool_name: tool }),
    ...((tool ?? command ?? input) !== undefined && { tool_input: args }),
  }
  const short = tool !== undefined ? usual.tool : prompt !== undefined ? usual.prompt : undefined
  const event = given.event === undefined ? short : knownEvent(given.event, dialect)
  const decoded = dialect.event.decode(written, event)
  if (!decoded.ok) throw new HooklineError(decoded.problem)
  return { event: decoded.event, payload: { ...session, ...decoded.payload }, dialect, written }
}

function knownEvent(event: string, dialect: Dialect): EventName {
  const found = eventNamed(dialect, event)
  if (found) return found
  const known = Object.values(dialect.events)
  throw new HooklineError(note('unknown-event', { event, hint: didYouMean(event, known), known: known.join(', ') }))
}

/** Systems that ask two lanes with one payload are asked as they ask. */
export function raise(
  hooks: Hooks,
  { event, payload, dialect, written }: Question,
  signal: AbortSignal,
): Promise<Verdict> {
  const options = { synthetic: true, signal }
  if (dialect.lanes?.[event] === undefined) return hooks.raise(event, payload as never, options)
  return hooks.raiseAs(dialect.name, written, { ...options, event })
}
