import type { DecodedEvent, Event, EventName, Hook, WireRequest } from '../../core/index.ts'
import { isRecord, stringifyJson } from '../../core/index.ts'
import { namedEvent } from '../common/config.ts'
import { rowOf, theirNames } from './names.ts'

/** The envelope of every event: what is not known is `null`, not left out. Short scalars are in the environment too. */
export function encodeEvent({ name, payload }: Event, { id, env: own }: Hook): WireRequest {
  const { session_id = '', turn_id, org_id, agent_id, ts } = payload
  const envelope = {
    event: theirNames[name] ?? name,
    hook_id: id,
    session_id,
    turn_id: turn_id ?? null,
    org_id: org_id ?? null,
    agent_id: agent_id ?? null,
    ts: ts ?? null,
    data: dataOf(name, payload),
  }
  const env: Record<string, string> = {
    EVERRUNS_HOOK_EVENT: envelope.event,
    EVERRUNS_HOOK_ID: id,
    EVERRUNS_HOOK_SESSION_ID: session_id,
    ...(typeof turn_id === 'string' && { EVERRUNS_HOOK_TURN_ID: turn_id }),
    ...(rowOf(name).tool && toolVariables(payload)),
    // The hook's own variables come last and may hide the standard ones.
    ...own,
  }
  // "Exposes no process stdin": what a script reads there is empty.
  return { body: stringifyJson(envelope), env, payloadVariables: variablesBeside(own), emptyStdin: true }
}

const everyone = namedEvent({ dialect: 'everruns', field: 'event', names: theirNames })

/** `data` may also be spread over the payload, as someone who writes one by hand does. */
export function decodeEvent(host: Record<string, unknown>, named?: EventName): DecodedEvent {
  const { event: own, hook_id: _ofOneHook, data, ...common } = host
  const found = everyone(own, named)
  if (!found.ok) return found
  const row = rowOf(found.event)
  const payload: Record<string, unknown> = {}
  const fields = isRecord(data) ? { ...common, ...data } : common
  for (const [key, value] of Object.entries(fields)) {
    const ours = Object.hasOwn(row.data, key) ? row.data[key]! : key
    if (value !== null && !isUnset(ours, value)) payload[ours] = value
  }
  if (row.tool) payload['tool_input'] ??= {}
  if (row.patch.includes('message')) payload['prompt'] ??= ''
  if (row.patch.includes('error') && (payload['error'] !== undefined || payload['success'] === false))
    payload['tool_error'] = true
  return { ok: true, event: found.event, payload, notes: [] }
}

/** Always sent, empty when there is none. */
const isUnset = (key: string, value: unknown) => value === '' && (key === 'session_id' || key === 'tool_use_id')

function dataOf(name: EventName, payload: Event['payload']): Record<string, unknown> {
  const data: Record<string, unknown> = {}
  for (const [theirs, ours] of Object.entries(rowOf(name).data)) {
    const value = ours === 'error' ? errorOf(payload) : payload[ours]
    if (value !== undefined) data[theirs] = value
    else if (Object.hasOwn(whenUnknown, theirs)) data[theirs] = whenUnknown[theirs]
  }
  if ('error' in data) data['success'] = payload['success'] ?? data['error'] === null
  return data
}

/** What a key of `data` says when the host does not know; `attachments` and `tool_calls` are sent only when known. */
const whenUnknown: Record<string, unknown> = {
  agent_id: null,
  message: '',
  tool_call_id: '',
  arguments: {},
  result: null,
  success: true,
  reason: null,
}

/** Where a host only says that the tool failed, the result holds the words. */
function errorOf({ error, tool_error, tool_response }: Record<string, unknown>): unknown {
  if (error !== undefined && error !== null) return error
  if (tool_error !== true) return null
  return typeof tool_response === 'string' ? tool_response : stringifyJson(tool_response ?? 'the tool failed')
}

function toolVariables({ tool_name, tool_use_id }: Record<string, unknown>): Record<string, string> {
  return {
    ...(typeof tool_name === 'string' && { EVERRUNS_HOOK_TOOL_NAME: tool_name }),
    ...(typeof tool_use_id === 'string' && { EVERRUNS_HOOK_TOOL_CALL_ID: tool_use_id }),
  }
}

/** The shell sets these two itself, over everything else; one that the hook sets is left to the hook. */
function variablesBeside(own: Readonly<Record<string, string>>): WireRequest['payloadVariables'] {
  const free = (name: string) => (Object.hasOwn(own, name) ? `HOOKLINE_${name}` : name)
  return { json: free('EVERRUNS_HOOK_PAYLOAD_JSON'), path: free('EVERRUNS_HOOK_PAYLOAD_PATH') }
}
