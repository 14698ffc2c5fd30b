import type { DecodedEvent, Event, EventName, WireRequest } from '../../core/index.ts'
import { sameJson, stringifyJson, theirNamesFor } from '../../core/index.ts'
import { namedEvent, payloadVariables } from '../common/config.ts'
import { rowOf, theirName, theirNames } from './names.ts'
import { tools } from './tools.ts'

/** "Every payload also includes event, session_id, agent_id, cwd." */
export function encodeEvent({ name, payload }: Event): WireRequest {
  const { session_id = '', agent_id, agent_name = '', cwd = '' } = payload
  const body: Record<string, unknown> = { event: theirName(name), session_id, agent_id: agent_id ?? agent_name, cwd }
  for (const { theirs, ours, empty } of rowOf(name).fields) {
    const value = inTheirNames(theirs, payload[ours]) ?? empty
    if (value !== undefined) body[theirs] = value
  }
  return { body: stringifyJson(body), env: {}, payloadVariables }
}

/** A script that looks for `bash` among the tools of a turn must find our `shell`. */
function inTheirNames(field: string, value: unknown): unknown {
  if (field !== 'tool_names' || !Array.isArray(value)) return value
  return value.map((name) => (typeof name === 'string' ? (theirNamesFor(tools, name, undefined)[0] ?? name) : name))
}

const eventOf = namedEvent({ dialect: 'starchild', field: 'event', names: theirNames })

/** What says nothing is left out, but for what our events always have. */
export function decodeEvent(host: Record<string, unknown>, named?: EventName): DecodedEvent {
  const { event: own, ...given } = host
  const found = eventOf(own, named)
  if (!found.ok) return found
  const { fields } = rowOf(found.event)
  const payload: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(given)) {
    const field = fields.find(({ theirs }) => theirs === key)
    const saysNothing = value === null || (common.has(key) && value === '')
    if (saysNothing || (field && key !== flag && sameJson(value, field.empty))) continue
    payload[field?.ours ?? key] = value
  }
  for (const { ours, empty, always } of fields) if (always) payload[ours] ??= empty
  if (fields.some(({ theirs }) => theirs === 'tool_name')) payload['tool_input'] ??= {}
  return { ok: true, event: found.event, payload, notes: [] }
}

const common: ReadonlySet<string> = new Set(['session_id', 'agent_id', 'cwd'])

/** A host that says it is not working on a redo says something. */
const flag = 'stop_hook_active'
