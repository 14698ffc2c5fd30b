import type { BundleUse, Settings } from './bundle.ts'
import type { Opinion } from './effects.ts'
import type { Note, Where } from './errors.ts'
import type { Event } from './events.ts'
import { type EventName, findEvent, foldName } from './events.ts'
import type { WireReply, WireRequest } from './executor.ts'
import type { Hook, Layer } from './hook.ts'
import type { Failure, Verdict } from './outcome.ts'

/** A value, and what was lost or doubtful on the way. */
export interface Decoded<T> {
  value: T
  notes: readonly Note[]
}

/** Where a config document came from, and where in it a path of keys is written. */
export interface Source {
  file: string
  layer: Layer
  locate(path: readonly (string | number)[]): Where
  /** A variable of whoever reads the config, where a system lets one decide. */
  variable?(name: string): string | undefined
}

export interface DecodedConfig {
  hooks: Hook[]
  /** One per broken entry; the entry is not among the hooks. Never silently dropped. */
  problems: Note[]
  notes: Note[]
  /** Bundles that the config wants, in order; their hooks come before its own. */
  uses?: readonly BundleUse[]
  /** Ids and patterns of hooks that the config mutes. */
  muted?: readonly Muting[]
  /** What it decides beside hooks; only files of the user and the administrator do. */
  settings?: Settings
}

export interface Muting {
  pattern: string
  where: Where
}

/** A host's payload, understood. `missing` event means: neither the payload nor the caller named one. */
export type DecodedEvent =
  | { ok: true; event: EventName; payload: Record<string, unknown>; notes: readonly Note[] }
  | { ok: false; problem: Note }

/** A hook's reply, understood; or why it is a failure. */
export type DecodedReply = { ok: true; opinion: Opinion; notes: readonly Note[] } | { ok: false; failure: Failure }

/** What a reply answers: the meaning of some replies depends on the event and the hook. */
export interface Asked {
  event: Event
  hook: Hook
}

/**
 * One system's language. Pure: no clock, no file system, no process. Both directions of each codec, so that the same
 * file serves hooks written for the system, and the system as host.
 */
export interface Dialect {
  name: string
  /** Which system, which version, from which document, read when. */
  about: string
  /** Our name → theirs, spelled out so that grep finds it. */
  events: Partial<Record<EventName, string>>
  /** One payload of the host asks a lane of another event first: theirs → that event, then the named one. */
  lanes?: Partial<Record<EventName, EventName>>
  /** What the system calls the tools that our own agent has, and their arguments: ours → theirs. */
  tools?: Readonly<Record<string, { name: string; args?: Readonly<Record<string, string>> }>>
  /** Events whose hooks do not run for a call that failed: the system has another event for that. */
  successOnly?: readonly EventName[]
  config: {
    /** Whether a document looks like this dialect, from its file name and shape. */
    detect(document: unknown, fileName: string): boolean
    decode(document: unknown, source: Source): DecodedConfig
    encode(hooks: readonly Hook[]): Decoded<unknown>
  }
  event: {
    /** A host's payload in; `named` is the event the caller named, if any. */
    decode(payload: Record<string, unknown>, named?: EventName): DecodedEvent
    /** A payload for one hook out. */
    encode(event: Event, hook: Hook): WireRequest
  }
  reply: {
    /** A hook's reply in. */
    decode(reply: WireReply, asked: Asked): DecodedReply
    /** What the host would read from one hook that answers with this verdict; and the exit code it would see. */
    encode(verdict: Verdict): Decoded<WireReply>
  }
}

/** The event that a name means: the system's own name for it, or ours, in any spelling. */
export function eventNamed(dialect: Dialect, name: string): EventName | undefined {
  const theirs = Object.entries(dialect.events).find(([, own]) => foldName(own) === foldName(name))?.[0]
  return (theirs as EventName | undefined) ?? findEvent(name)
}

/** Identity, for inference. */
export const defineDialect = (dialect: Dialect): Dialect => dialect
