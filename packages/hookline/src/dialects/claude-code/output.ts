import { flag, type Kind, object, readFields, text } from '../common/reply.ts'

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

export const readOutput = (value: unknown): Output | string => readFields<Omit<Output, 'unknown'>>(value, outputKinds)

const number: Kind = { words: 'a number', fits: (value) => typeof value === 'number' }
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
