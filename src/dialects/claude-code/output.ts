import { isRecord } from '../../core/index.ts'

/** What a hook may print, as documented; `unknown` holds the keys that are not. */
export interface Output {
  continue?: boolean
  stopReason?: string
  suppressOutput?: boolean
  systemMessage?: string
  terminalSequence?: string
  decision?: 'approve' | 'block'
  reason?: string
  async?: boolean
  asyncTimeout?: number
  hookSpecificOutput?: Specific
  unknown: string[]
}

export interface Specific {
  hookEventName?: string
  permissionDecision?: 'allow' | 'deny' | 'ask' | 'defer'
  permissionDecisionReason?: string
  updatedInput?: Record<string, unknown>
  additionalContext?: string
  updatedToolOutput?: unknown
  updatedMCPToolOutput?: unknown
  decision?: Behavior
}

export interface Behavior {
  behavior?: 'allow' | 'deny'
  updatedInput?: Record<string, unknown>
  message?: string
  interrupt?: boolean
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
  fields?: Record<string, Kind>
}

const text: Kind = { words: 'a string', fits: (value) => typeof value === 'string' }
const flag: Kind = { words: 'true or false', fits: (value) => typeof value === 'boolean' }
const number: Kind = { words: 'a number', fits: (value) => typeof value === 'number' }
const object: Kind = { words: 'an object', fits: isRecord }
const anything: Kind = { words: 'anything', fits: () => true }
const oneOf = (...words: string[]): Kind => ({
  words: `one of ${words.join(', ')}`,
  fits: (value) => words.includes(value as string),
})

const behaviorKinds: Record<keyof Behavior, Kind> = {
  behavior: oneOf('allow', 'deny'),
  updatedInput: object,
  message: text,
  interrupt: flag,
}

const specificKinds: Record<keyof Specific, Kind> = {
  hookEventName: text,
  permissionDecision: oneOf('allow', 'deny', 'ask', 'defer'),
  permissionDecisionReason: text,
  updatedInput: object,
  additionalContext: text,
  updatedToolOutput: anything,
  updatedMCPToolOutput: anything,
  decision: { ...object, fields: behaviorKinds },
}

const outputKinds: Record<Exclude<keyof Output, 'unknown'>, Kind> = {
  continue: flag,
  stopReason: text,
  suppressOutput: flag,
  systemMessage: text,
  terminalSequence: text,
  decision: oneOf('approve', 'block'),
  reason: text,
  async: flag,
  asyncTimeout: number,
  hookSpecificOutput: { ...object, fields: specificKinds },
}

/** `null` is absent. */
function readFields(value: unknown, kinds: Record<string, Kind>, path: string, unknown: string[]): object {
  const read: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value as object)) {
    const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined
    if (!kind) unknown.push(path + key)
    else if (item !== null && !kind.fits(item)) throw `\`${path}${key}\` must be ${kind.words}`
    else if (item !== null) read[key] = kind.fields ? readFields(item, kind.fields, `${path}${key}.`, unknown) : item
  }
  return read
}
