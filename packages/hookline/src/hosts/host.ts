import type { Dialect, EventName, RewriteConditions, ToolSection, Verdict } from '../core/index.ts'
import type { Asking } from './asking.ts'
import type { HostSetup } from './setup.ts'

/** A foreign agent: what it calls its tools, what it makes of an answer, and how our entry gets into it. */
export interface Host {
  name: string
  /** What people call it. */
  called: string
  /** Which agent, which version. */
  about: string
  /** Nobody has run it with Hookline: all that is known of it stands in these documents. Absent: it was run for real. */
  documents?: readonly string[]
  /** The events of ours that it raises and at which our entry stands, and its names for them. */
  events: Partial<Record<EventName, string>>
  /** Other names under which its payloads know an event. */
  also?: Readonly<Record<string, EventName>>
  tools: ToolSection
  rewrites: RewriteConditions
  /** The answers before a call that it acts on. Where it ignores one, the call would run. */
  takes: { ask: Asking | false; allow: boolean; halt: boolean }
  /** What else it can do, as seen in real runs. */
  can: Abilities
  /** Ways around its hooks, and what we do about each. */
  around: readonly Way[]
  /** The dialect whose payloads and replies it uses; absent: it has a shape of its own. */
  shape?: 'claude-code'
  /** Events that it raises beside those, and that hooks here know nothing of. */
  withoutCounterpart?: readonly string[]
  /** Its payload with the names of Claude Code; absent: it has them already. */
  reads?(payload: Readonly<Record<string, unknown>>): Record<string, unknown>
  /** Refusals are exit code 2 with the reason on standard error; nothing else refuses. */
  refusesBy?: 'exit code'
  /** What it reads from a hook with this answer; absent: as Claude Code. An empty object says nothing. */
  writes?(answer: Answer): Record<string, unknown>
  /** Its version, where it says so in the environment of its hooks or in the payload. */
  version?: NonNullable<Dialect['hostVersion']>
  /** Why a call cannot be judged here and so is refused, whatever hooks say of it. `payload` has the names of Claude Code. */
  refuses?(event: EventName, payload: Readonly<Record<string, unknown>>): string | undefined
  /** The event that it should have raised before this one and has not, as far as the payload tells, and why. */
  misses?(event: EventName, payload: Readonly<Record<string, unknown>>): { event: EventName; why: string } | undefined
  setup: HostSetup
}

/** What a host must be told, and nothing that it does not take. A refusal always has a reason. */
export interface Answer {
  event: EventName
  /** Its own name of the event. */
  theirs: string
  deny?: string
  ask?: string
  /** An approval; its text may be empty. */
  allow?: string
  /** The run must end. */
  halt?: string
  context?: string
  /** New input, result or prompt, in the host's own shape. */
  rewrite?: { value: unknown }
  message?: string
  /** The payload after all rewrites. */
  payload: Verdict['payload']
}

export interface Abilities {
  /** An approval of ours saves the user a prompt. */
  approves: boolean
  /** At which events it shows the model what hooks add. */
  context: readonly EventName[]
  refusesPrompt: boolean
  /** A refusal at `stop` sends the agent back to work. */
  redo: boolean
  /** Hooks run for the calls of sub-agents. */
  subAgents: 'yes' | 'no' | 'no: starting one is refused' | 'has none'
  /** What makes our entry fail closed there, where it is not the wrapper alone. */
  failsClosed?: string
  /** `fixed`: our entry cannot have it longer. */
  timeout: { unit: 's' | 'ms'; default: number; fixed?: true } | undefined
}

export interface Way {
  around: string
  so: string
}

export const defineHost = (host: Host): Host => host
