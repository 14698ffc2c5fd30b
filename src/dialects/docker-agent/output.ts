import { isRecord } from '../../core/index.ts'

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

/** By hand, not by schema: this runs for every answer. As text, what does not fit. */
export function readOutput(value: unknown): Output | string {
  const unknown: string[] = []
  try {
    return { ...(readFields(value, outputKinds, '', unknown) as Omit<Output, 'unknown'>), unknown }
  } catch (misfit) {
    if (typeof misfit === 'string') return misfit
    throw misfit
  }
}

interface Kind {
  words: string
  fits(value: unknown): boolean
}

const text: Kind = { words: 'a string', fits: (value) => typeof value === 'string' }
const flag: Kind = { words: 'true or false', fits: (value) => typeof value === 'boolean' }
const object: Kind = { words: 'an object', fits: isRecord }
const list: Kind = { words: 'a list', fits: Array.isArray }
const texts: Kind = {
  words: 'an object of strings',
  fits: (value) => isRecord(value) && Object.values(value).every((item) => typeof item === 'string'),
}

const outputKinds: Record<Exclude<keyof Output, 'unknown'>, Kind> = {
  continue: flag,
  stop_reason: text,
  suppress_output: flag,
  system_message: text,
  decision: text,
  reason: text,
  hook_specific_output: object,
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

/** `null` is absent, and keys are read in any case, as docker-agent reads them. */
function readFields(value: unknown, kinds: Record<string, Kind>, path: string, unknown: string[]): object {
  if (!isRecord(value)) throw `\`${path || 'the output'}\` must be an object`
  const read: Record<string, unknown> = {}
  for (const [written, item] of Object.entries(value)) {
    const key = Object.hasOwn(kinds, written) ? written : written.toLowerCase()
    const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined
    if (!kind) unknown.push(path + written)
    else if (item !== null && !kind.fits(item)) throw `\`${path}${key}\` must be ${kind.words}`
    else if (item !== null)
      read[key] = key === 'hook_specific_output' ? readFields(item, specificKinds, `${key}.`, unknown) : item
  }
  return read
}
