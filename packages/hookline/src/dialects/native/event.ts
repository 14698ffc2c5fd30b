import type { DecodedEvent, Event, EventName, Hook, WireRequest } from '../../core/index.ts'
import { didYouMean, eventNames, findEvent, note, stringifyJson } from '../../core/index.ts'

/** Short scalars for the environment, by the payload field they come from. Anything longer is on stdin. */
const scalars = {
  HOOKLINE_SESSION_ID: 'session_id',
  HOOKLINE_CWD: 'cwd',
  HOOKLINE_PROJECT_DIR: 'project_dir',
  HOOKLINE_TOOL_NAME: 'tool_name',
  HOOKLINE_TOOL_USE_ID: 'tool_use_id',
} as const

/** A path is at most this long on Linux; an environment has to fit beside the arguments of a program. */
const longestScalar = 4096

const payloadVariables = { json: 'HOOKLINE_PAYLOAD_JSON', path: 'HOOKLINE_PAYLOAD_PATH' }

export function encodeEvent(event: Event, hook: Hook): WireRequest {
  const ours = { event: event.name, hook_id: hook.id }
  const env: Record<string, string> = { HOOKLINE: '1', HOOKLINE_EVENT: event.name, HOOKLINE_HOOK_ID: hook.id }
  for (const [variable, field] of Object.entries(scalars)) {
    const value = event.payload[field]
    if (typeof value === 'string' && value.length <= longestScalar && !value.includes('\0')) env[variable] = value
  }
  // Ours come first to be read, and last to win over fields of the same name.
  return { body: stringifyJson({ ...ours, ...event.payload, ...ours }), env, payloadVariables }
}

/** The same shape back. An event may be named twice, but not differently. */
export function decodeEvent(payload: Record<string, unknown>, named?: EventName): DecodedEvent {
  const { event: written, hook_id: _, ...rest } = payload
  const found = typeof written === 'string' ? findEvent(written) : undefined
  if (typeof written === 'string' && !found) {
    const known = eventNames.join(', ')
    return {
      ok: false,
      problem: note('unknown-event', { event: written, hint: didYouMean(written, eventNames), known }),
    }
  }
  const event = found ?? named
  if (written !== undefined && !found) return invalid('must be a string', named)
  if (!event) return invalid('is missing', named)
  if (named && event !== named) return invalid(`is ${event}, but ${named} was raised`, named)
  return { ok: true, event, payload: rest, notes: [] }
}

function invalid(detail: string, named: EventName | undefined): DecodedEvent {
  return { ok: false, problem: note('payload-invalid', { event: named ?? 'an event', path: 'event', detail }) }
}
