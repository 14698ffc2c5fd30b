import type { DecodedEvent, Event, EventName, Note, WireRequest } from '../../core/index.ts'
import { isRecord, note, plainText, stringifyJson } from '../../core/index.ts'
import { payloadVariables, unknownEvent } from '../common/config.ts'
import {
  type Field,
  findTheirs,
  ourValues,
  rowOf,
  theirName,
  theirNames,
  theirValue,
  withoutCounterpart,
} from './names.ts'

/** In the order of `BaseHookInput`; `hook_event_name` follows, and then the fields of the event. */
const base: readonly Field[] = [
  { theirs: 'session_id', ours: 'session_id', always: true },
  { theirs: 'transcript_path', ours: 'transcript_path', always: true },
  { theirs: 'cwd', ours: 'cwd', always: true },
  { theirs: 'prompt_id', ours: 'prompt_id', always: false },
  { theirs: 'permission_mode', ours: 'permission_mode', always: false },
  { theirs: 'agent_id', ours: 'agent_id', always: false },
  { theirs: 'agent_type', ours: 'agent_name', always: false },
  { theirs: 'effort', ours: 'effort', always: false },
]

export function encodeEvent({ name, payload }: Event): WireRequest {
  const body: Record<string, unknown> = {}
  write(base, body, name, payload)
  body['hook_event_name'] = theirName(name)
  write(rowOf(name).fields, body, name, payload)
  const { project_dir, cwd, effort } = payload as Record<string, unknown>
  const directory = project_dir ?? cwd
  const env = {
    ...(typeof directory === 'string' ? { CLAUDE_PROJECT_DIR: directory } : {}),
    ...(isRecord(effort) && typeof effort['level'] === 'string' ? { CLAUDE_EFFORT: effort['level'] } : {}),
  }
  return { body: stringifyJson(body), env, payloadVariables }
}

/** An event may be named twice, but not differently. */
export function decodeEvent(host: Record<string, unknown>, named?: EventName): DecodedEvent {
  const { hook_event_name: own, ...fields } = host
  if (own !== undefined && typeof own !== 'string') return invalid('must be a string')
  const found = own === undefined ? undefined : findTheirs(own)
  if (own !== undefined && !found)
    return { ok: false, problem: withoutHooks(own) ?? unknownEvent(own, Object.values(theirNames)) }
  const event = found ?? named
  if (event === undefined) return invalid('is missing, so it is not known which event this is')
  if (theirNames[event] === undefined) return { ok: false, problem: unknownEvent(event, Object.values(theirNames)) }
  if (named !== undefined && named !== event) return invalid(`is ${own}, but ${theirName(named)} was raised`)
  return { ok: true, event, payload: read(fields, event), notes: [] }
}

/** An event that Claude Code raises, and that hooks here know nothing of. */
const withoutHooks = (event: string): Note | undefined =>
  (withoutCounterpart as readonly string[]).includes(event)
    ? note('event-without-counterpart', { event, dialect: 'claude-code' })
    : undefined

function write(fields: readonly Field[], body: Record<string, unknown>, event: EventName, payload: object): void {
  for (const { theirs, ours, always } of fields) {
    const value = (payload as Record<string, unknown>)[ours]
    if (value !== undefined && value !== null) body[theirs] = theirFormOf(theirs, value, event)
    else if (always) body[theirs] = Object.hasOwn(fallbacks, theirs) ? fallbacks[theirs] : ''
  }
}

/** What a field that is always there says when there is nothing to say. */
const fallbacks: Record<string, unknown> = {
  tool_input: {},
  stop_hook_active: false,
  trigger: 'auto',
  source: 'startup',
  reason: 'other',
  custom_instructions: null,
}

/** A permission mode of other hosts that has another name here. */
const modes: Record<string, string> = { yolo: 'bypassPermissions' }

function theirFormOf(theirs: string, value: unknown, event: EventName): unknown {
  if (theirs === 'trigger') return theirValue(event, value)
  if (theirs === 'permission_mode' && Object.hasOwn(modes, plainText(value))) return modes[plainText(value)]
  return value
}

/** Fields that have no name of ours keep theirs. */
function read(fields: Record<string, unknown>, event: EventName): Record<string, unknown> {
  const names = ourFields(event)
  const payload: Record<string, unknown> = {}
  for (const key in fields) {
    const value = fields[key]
    if (value === null || (value === '' && emptyMeansNone.has(key))) continue
    const known = key === 'trigger' && typeof value === 'string' ? ourValues(event, value)[0] : value
    payload[names.get(key) ?? key] = known
  }
  if (typeof payload['agent_id'] === 'string') payload['sub_agent'] = true
  if (names.has('tool_input')) payload['tool_input'] ??= {}
  return { ...rowOf(event).implies, ...payload }
}

/** Theirs → ours, made once for each event. */
const fieldNames = new Map<EventName, ReadonlyMap<string, string>>()

function ourFields(event: EventName): ReadonlyMap<string, string> {
  const known = fieldNames.get(event)
  if (known) return known
  const made = new Map([...base, ...rowOf(event).fields].map(({ theirs, ours }) => [theirs, ours]))
  fieldNames.set(event, made)
  return made
}

const emptyMeansNone = new Set(['session_id', 'transcript_path', 'cwd', 'tool_use_id'])

function invalid(detail: string): DecodedEvent {
  return { ok: false, problem: note('payload-invalid', { event: 'claude-code', path: 'hook_event_name', detail }) }
}
