import type { Audience } from './audience.ts'
import type { BundleUse, Settings } from './bundle.ts'
import type { Opinion } from './effects.ts'
import type { Note, Where } from './errors.ts'
import type { Event } from './events.ts'
import { type EventName, findEvent, foldName } from './events.ts'
import type { WireReply, WireRequest } from './executor.ts'
import type { Hook, Layer, MatchTest } from './hook.ts'
import type { Failure, Verdict } from './outcome.ts'
import type { ToolRow } from './tools.ts'
import type { ToolSection } from './vocabulary.ts'

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
  /** The file beside it that its dialect names in `config.beside`, if there is one. */
  beside?: unknown
}

export interface DecodedConfig {
  hooks: Hook[]
  /** One per broken entry; the entry is not among the hooks. Never silently dropped. */
  problems: Note[]
  notes: Note[]
  /** Which of the problems are of one entry alone. They count where the system reads each entry by itself (`config.eachAlone`). */
  broken?: readonly BrokenEntry[]
  /** Tools of its own that the config declares. */
  tools?: Readonly<Record<string, ToolRow>>
  /** Bundles that the config wants, in order; their hooks come before its own. */
  uses?: readonly BundleUse[]
  /** Ids and patterns of hooks that the config mutes. */
  muted?: readonly Muting[]
  /** What it decides beside hooks; only files of the user and the administrator do. */
  settings?: Settings
}

/** An entry that cannot be used; what is known of it says what it could have guarded. */
export interface BrokenEntry {
  /** One of the problems of the config. */
  problem: Note
  /** Absent: it guards nothing, or its event is not known. */
  event?: EventName
  /** Those of its tests that can be read: at most this would have matched. */
  matcher: readonly MatchTest[]
}

export interface Muting {
  pattern: string
  where: Where
}

/** A host's payload, understood. `missing` event means: neither the payload nor the caller named one. */
export type DecodedEvent =
  | {
      ok: true
      event: EventName
      payload: Record<string, unknown>
      notes: readonly Note[]
      /** Why this must not happen in that host, whatever hooks say of it. */
      refusal?: string
      /** An event that the host should have raised before this one and has not, and why. What waits for it has not run: where there is such a hook, this must not happen. */
      missed?: { event: EventName; why: string }
    }
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
  /** What the system calls our tools, their arguments and results, both ways. Absent: it uses our words. */
  tools?: ToolSection
  /** What the system makes of rewrites, where it does not simply take them. */
  rewrites?: RewriteConditions
  /** The version of the host, where it says so in the environment of its hooks or in the payload. */
  hostVersion?(
    env: Readonly<Record<string, string | undefined>>,
    payload: Readonly<Record<string, unknown>>,
  ): string | undefined
  /** Who can answer when a call of this host is asked about. Absent: a person. A host that ignores the question has nobody. */
  audience?(payload: Readonly<Record<string, unknown>>, env: Readonly<Record<string, string | undefined>>): Audience
  /** What the system writes in the place of a secret, whatever kind it is of. Absent: our marker, which says the kind. */
  redaction?: string
  /** Events whose hooks do the work themselves, in place of the host. */
  replaces?: readonly EventName[]
  /** Events whose hooks do not run for a call that failed: the system has another event for that. */
  successOnly?: readonly EventName[]
  config: {
    /** Whether a document looks like this dialect, from its file name and shape. */
    detect(document: unknown, fileName: string): boolean
    /** The system reads each entry by itself: a broken one does not take the others with it. Absent: it refuses the file. */
    eachAlone?: true
    /** A file in the same directory that has a say in this one, without its ending: `agent` is `agent.yaml`. */
    beside?: string
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
    /**
     * The first line of output by which a hook says that it goes on alone, and how long it may; undefined for any other.
     * The line is then its whole reply.
     */
    goesOnAlone?(firstLine: string): { forMs?: number } | undefined
    /** The reason of the refusal that a failing hook amounts to, where the system's document words it. */
    refusal?(failure: Failure, hook: Hook): string
    /** What the host would read from one hook that answers with this verdict; and the exit code it would see. */
    encode(verdict: Verdict): Decoded<WireReply>
  }
}

/** On which conditions a host takes a rewrite. What it would drop becomes a refusal that says what to do instead. */
export interface RewriteConditions {
  /** New input: taken; taken only beside an `allow`; or dropped, so that the original would run. */
  input: 'taken' | 'with-allow' | 'dropped'
  /** It merges new input into the old: a key that is gone would stay. */
  merges?: true
  /** A new result: taken; only as the reason of a refusal, which replaces it; or not, and the run can end before the model sees the original; or it sees it. */
  result: 'taken' | 'as-reason' | 'withheld' | 'dropped'
  /** A new text of a message of the user: taken; what was added to it reaches the model as context; or dropped, so that the original would count. */
  message: 'taken' | 'as-context' | 'dropped'
  /** Events on which new input is taken on another condition. */
  inputOn?: Partial<Record<EventName, RewriteConditions['input']>>
}

/** The event that a name means: the system's own name for it, or ours, in any spelling. */
export function eventNamed(dialect: Dialect, name: string): EventName | undefined {
  const theirs = Object.entries(dialect.events).find(([, own]) => foldName(own) === foldName(name))?.[0]
  return (theirs as EventName | undefined) ?? findEvent(name)
}

/** Identity, for inference. */
export const defineDialect = (dialect: Dialect): Dialect => dialect
