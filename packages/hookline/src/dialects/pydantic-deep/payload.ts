import type { DecodedEvent, Event, EventName, WireRequest } from '../../core/index.ts'
import { isRecord, stringifyJson } from '../../core/index.ts'
import { namedEvent, payloadVariables } from '../common/config.ts'
import { rowOf, theirName, theirNames } from './names.ts'

/** What a hook gets; all five are always there. */
export interface HookInput {
  event: string
  tool_name: string
  tool_input: Record<string, unknown>
  tool_result: string | null
  tool_error: string | null
}

export function hookInput({ name, payload }: Pick<Event, 'name' | 'payload'>): HookInput {
  const { tool, result, error } = rowOf(name)
  const { tool_name, tool_input, primary, fallback } = payload as Record<string, unknown>
  const chain = { ...(primary !== undefined && { primary }), ...(fallback !== undefined && { fallback }) }
  return {
    event: theirName(name),
    tool_name: tool && typeof tool_name === 'string' ? tool_name : '',
    tool_input: tool && isRecord(tool_input) ? tool_input : chain,
    tool_result: result === undefined ? null : asText(payload[result]),
    tool_error: error === undefined ? null : asText(payload[error]),
  }
}

export function encodeEvent(event: Event): WireRequest {
  return { body: stringifyJson(hookInput(event)), env: {}, payloadVariables }
}

const eventOf = namedEvent({ dialect: 'pydantic-deep', field: 'event', names: theirNames })

export function decodeEvent(host: Record<string, unknown>, named?: EventName): DecodedEvent {
  const { event: own, tool_name, tool_input, tool_result, tool_error, ...rest } = host
  const found = eventOf(own, named)
  if (!found.ok) return found
  const { tool, result, error } = rowOf(found.event)
  const payload: Record<string, unknown> = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== null),
  )
  if (tool) {
    if (tool_name !== undefined && tool_name !== null) payload['tool_name'] = tool_name
    payload['tool_input'] = tool_input ?? {}
  } else if (isRecord(tool_input)) Object.assign(payload, tool_input)
  if (result !== undefined && tool_result !== undefined && tool_result !== null) payload[result] = tool_result
  if (error !== undefined && tool_error !== undefined && tool_error !== null) payload[error] = tool_error
  return { ok: true, event: found.event, payload, notes: [] }
}

/** "str | None": what is no text is written as JSON. */
function asText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return typeof value === 'string' ? value : stringifyJson(value)
}
