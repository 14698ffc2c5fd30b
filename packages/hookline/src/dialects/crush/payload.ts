import type { DecodedEvent, Event, EventName, WireRequest } from '../../core/index.ts'
import { isRecord, note, parseJson, stringifyJson } from '../../core/index.ts'
import { payloadVariables, unknownEvent } from '../common/config.ts'
import { findTheirs, theirName, theirNames } from './names.ts'

/** "Each hook receives data two ways: environment variables and stdin (as JSON)." */
export function encodeEvent({ name, payload }: Event): WireRequest {
  const { session_id = '', cwd = '', project_dir = cwd, tool_name, tool_input } = payload as Record<string, unknown>
  const event = theirName(name)
  const body = {
    event,
    session_id,
    cwd,
    ...(tool_name === undefined ? {} : { tool_name }),
    ...(tool_input === undefined ? {} : { tool_input }),
  }
  const env: Record<string, string> = {
    ...nobodyThere,
    CRUSH: '1',
    AGENT: 'crush',
    AI_AGENT: 'crush',
    CRUSH_EVENT: event,
    CRUSH_SESSION_ID: asText(session_id),
    CRUSH_CWD: asText(cwd),
    CRUSH_PROJECT_DIR: asText(project_dir),
  }
  if (tool_name !== undefined) env['CRUSH_TOOL_NAME'] = asText(tool_name)
  if (isRecord(tool_input))
    for (const [key, variable] of inputVariables)
      if (Object.hasOwn(tool_input, key)) env[variable] = asText(tool_input[key])
  return { body: stringifyJson(body), env, payloadVariables }
}

/** An event may be named twice, but not differently. */
export function decodeEvent(host: Record<string, unknown>, named?: EventName): DecodedEvent {
  const { event: own, ...fields } = host
  if (own !== undefined && typeof own !== 'string') return invalid('event', 'must be a string')
  const found = own === undefined ? undefined : findTheirs(own)
  if (own !== undefined && !found) return { ok: false, problem: unknownEvent(own, Object.values(theirNames)) }
  const event = found ?? named
  if (event === undefined) return invalid('event', 'is missing, so it is not known which event this is')
  if (theirNames[event] === undefined) return { ok: false, problem: unknownEvent(event, Object.values(theirNames)) }
  if (named !== undefined && named !== event) return invalid('event', `is ${own}, but ${named} was raised`)
  const payload = Object.fromEntries(Object.entries(fields).filter(([key, value]) => !isUnset(key, value)))
  return { ok: true, event, payload: { ...payload, tool_input: inputOf(fields['tool_input']) }, notes: [] }
}

/** Crush always sends these two, empty when there is none. */
const isUnset = (key: string, value: unknown) =>
  value === null || (value === '' && (key === 'session_id' || key === 'cwd'))

/** What Crush sets for every command it runs, whatever the user has: nothing waits for an editor or a pager. */
const nobodyThere = {
  TERM: 'xterm-256color',
  EDITOR: 'false',
  VISUAL: 'false',
  PAGER: 'cat',
  GIT_EDITOR: 'false',
  GIT_PAGER: 'cat',
  JJ_EDITOR: 'false',
  JJ_PAGER: 'cat',
}

/** Set for any tool whose input has the key, and unset otherwise. */
const inputVariables = [
  ['command', 'CRUSH_TOOL_INPUT_COMMAND'],
  ['file_path', 'CRUSH_TOOL_INPUT_FILE_PATH'],
] as const

/** "The raw JSON the model sent to the tool"; what is no object counts as an empty one. */
function inputOf(value: unknown): unknown {
  const parsed = typeof value === 'string' ? parseJson(value) : undefined
  const input = parsed?.ok ? parsed.value : value
  return isRecord(input) ? input : {}
}

function asText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : stringifyJson(value)
}

function invalid(path: string, detail: string): DecodedEvent {
  return { ok: false, problem: note('payload-invalid', { event: 'crush', path, detail }) }
}
