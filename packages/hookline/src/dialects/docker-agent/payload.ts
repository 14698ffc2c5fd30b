import type { DecodedEvent, Event, EventName, WireRequest } from '../../core/index.ts'
import { note, stringifyJson } from '../../core/index.ts'
import { findTheirs, lane, ourField, type Row, rowOf, theirName, theirNames, unknownEvent } from './names.ts'

export function encodeEvent(event: Event): WireRequest {
  const { payload } = event
  const body: Record<string, unknown> = {
    session_id: payload.session_id ?? '',
    cwd: payload.cwd ?? '',
    hook_event_name: theirName(event.name),
  }
  for (const field of rowOf(event.name).payload) {
    const value = payload[ourField(field)]
    if (!isLeftOut(field, value)) body[field] = value
  }
  return { body: stringifyJson(body), env: {}, payloadVariables }
}

/** An event may be named twice, but not differently; on the lane, the payload names `pre_tool_use`. */
export function decodeEvent(host: Record<string, unknown>, named?: EventName): DecodedEvent {
  const { hook_event_name: own, ...fields } = host
  if (own !== undefined && typeof own !== 'string') return invalid('must be a string')
  const found = own ? findTheirs(own) : undefined
  if (own && !found) return { ok: false, problem: unknownEvent(own) }
  const event = named ?? found
  if (event === undefined) return invalid('is missing, so it is not known which event this is')
  if (theirNames[event] === undefined && event !== lane) return { ok: false, problem: unknownEvent(event) }
  if (found && found !== theirName(event)) return invalid(`is ${found}, but ${theirName(event)} was raised`)
  const row = rowOf(event)
  const payload: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(fields)) {
    const dropped = value === null || (value === '' && (key === 'session_id' || key === 'cwd'))
    if (!dropped) payload[row.payload.includes(key) ? ourField(key) : key] = value
  }
  fillIn(payload, row)
  return { ok: true, event, payload, notes: [] }
}

/** docker-agent has no variables for it; an in-process shell needs some. */
const payloadVariables = { json: 'HOOKLINE_PAYLOAD_JSON', path: 'HOOKLINE_PAYLOAD_PATH' }

function invalid(detail: string): DecodedEvent {
  return { ok: false, problem: note('payload-invalid', { event: 'docker-agent', path: 'hook_event_name', detail }) }
}

/** What its table does not list is sent only where there is something in it. */
const undocumented = new Set(['tool_category', 'messages', 'from_agent_models'])

/** "Extra fields" of an event are there, empty and false ones too; what the host does not know is left out. */
function isLeftOut(field: string, value: unknown): boolean {
  if (value === undefined || value === null) return true
  return undocumented.has(field) && (value === '' || (Array.isArray(value) && value.length === 0))
}

/** A host may leave out what is empty; these our events always have. */
function fillIn(payload: Record<string, unknown>, row: Row): void {
  if (row.payload.includes('tool_input')) payload['tool_input'] ??= {}
  if (row.payload.includes('prompt')) payload['prompt'] ??= ''
  if (row.payload.includes('steering_messages')) payload['steering_messages'] ??= []
  if (row.payload.includes('worktree_path') && payload['worktree_path'] !== undefined)
    payload['cwd'] ??= payload['worktree_path']
}
