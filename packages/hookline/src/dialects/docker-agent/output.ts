import { isRecord } from '../../core/index.ts'
import { flag, type Kind, object, readFields, text } from '../common/reply.ts'

/** What a hook may print, as documented; `unknown` holds the keys that are not. */
export interface Output {
  continue?: boolean
  stop_reason?: string
  suppress_output?: boolean
  system_message?: string
  decision?: string
  reason?: string
  hook_specific_output?: Specific
  unknown: string[]
}

export interface Specific {
  hook_event_name?: string
  permission_decision?: string
  permission_decision_reason?: string
  updated_input?: Record<string, unknown>
  metadata?: Record<string, string>
  updated_tool_response?: string
  additional_context?: string
  summary?: string
  updated_messages?: unknown[]
}

/** Keys are read in any case, as docker-agent reads them. */
export const readOutput = (value: unknown): Output | string =>
  readFields<Omit<Output, 'unknown'>>(value, outputKinds, (key) => key.toLowerCase())

const list: Kind = { words: 'a list', fits: Array.isArray }
const texts: Kind = {
  words: 'an object of strings',
  fits: (value) => isRecord(value) && Object.values(value).every((item) => typeof item === 'string'),
}

const specificKinds: Record<keyof Specific, Kind> = {
  hook_event_name: text,
  permission_decision: text,
  permission_decision_reason: text,
  updated_input: object,
  metadata: texts,
  updated_tool_response: text,
  additional_context: text,
  summary: text,
  updated_messages: list,
}

const outputKinds: Record<Exclude<keyof Output, 'unknown'>, Kind> = {
  continue: flag,
  stop_reason: text,
  suppress_output: flag,
  system_message: text,
  decision: text,
  reason: text,
  hook_specific_output: { ...object, fields: specificKinds },
}
