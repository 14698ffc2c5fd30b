import type { AtStake, Audience } from './audience.ts'
import type { Opinion } from './effects.ts'
import type { Event, EventName, OpinionFor, Payload } from './events.ts'
import type { FailureKind } from './outcome.ts'
import type { StandardSchema } from './standard-schema.ts'
import type { Eventually } from './timing.ts'
import type { ToolRow } from './tools.ts'
import type { Deed } from './unapproved.ts'

export interface Machine {
  user?: string
  fullName?: string
  hostname: string
  /** As Node names them: `linux`, `darwin`, `win32`; `x64`, `arm64`. */
  platform: string
  architecture: string
}

export interface Executed {
  /** -1 when a signal ended it. */
  exit: number
  stdout: string
  stderr: string
  /** There was more output than the limit; the program was stopped there. */
  truncated: boolean
}

export interface ExecOptions {
  cwd?: string
  input?: string
  env?: Readonly<Record<string, string>>
  /** Bytes of stdout and stderr each; default 1 MiB. */
  outputLimit?: number
}

export interface KitRequest {
  method?: 'GET' | 'POST'
  url: string
  body?: string
  headers?: Readonly<Record<string, string>>
  /** Also loopback and private networks; metadata addresses never. */
  allowLocal?: boolean
}

export interface Entry {
  name: string
  directory: boolean
}

/** What a call would change and run, as far as that can be told; links are followed, and `…` stands for what is not known. */
export interface CallEffects {
  changes: readonly {
    does: 'write' | 'delete'
    /** All the ways to write the same place. */
    paths: readonly string[]
    recursive: boolean
    /** The words of the command that does it; absent: the call itself. */
    by?: readonly string[] | undefined
  }[]
  runs: readonly (readonly string[])[]
  /** Whether git knows the file; undefined when that cannot be told. */
  tracked(path: string): boolean | undefined
}

/** What a builtin may use of the world. Handed in, so that builtins stay testable and the rooms stay apart. */
export interface BuiltinKit {
  signal: AbortSignal
  /** Where the session works. */
  cwd: string
  home: string
  /** A directory of ours that only the user can read. */
  dataDir: string
  env: Readonly<Record<string, string>>
  machine: Machine
  /** Whether the hook was configured by the user, the machine's owner or code, not by a project. */
  ownLayer: boolean
  /** Files the hooks themselves depend on: the config they came from. The agent must not change them. */
  protectedFiles: readonly string[]
  /** What to write in the place of a secret, where the hook's system has one marker for all; absent: ours. */
  readonly redaction?: string | undefined
  /** What a tool does and what its arguments mean, where our table or a declaration (`tools:`) says so. */
  toolRow?(name: string): ToolRow | undefined
  /** Who can answer when this event is asked about. */
  readonly audience: Audience
  now(): Date
  /** Undefined where nothing can find it out. */
  effectsOf?(
    call: { tool: string; input: Readonly<Record<string, unknown>> },
    place: { cwd: string; home: string },
  ): Promise<CallEffects>

  /** What a call puts at stake, here and now, the gravest first. `command`: the line that it runs. */
  atStake(call: {
    tool: string
    input: Readonly<Record<string, unknown>>
    command?: string
    cwd?: string
  }): Promise<{ stakes: readonly AtStake[]; workspace: string }>
  /** Runs a program without a shell; undefined when it cannot be started. */
  exec(program: string, args: readonly string[], options?: ExecOptions): Promise<Executed | undefined>
  /** The text of a file, or undefined. More than `limit` bytes (default 1 MiB) are not read. */
  read(path: string, limit?: number): Promise<string | undefined>
  list(path: string): Promise<readonly Entry[] | undefined>
  kind(path: string): Promise<'file' | 'directory' | 'other' | undefined>
  /** In bytes; a link counts as itself. */
  size(path: string): Promise<number | undefined>
  /** The same for all names of a file that has several (hard links); undefined where it has one, or is none. */
  identity?(path: string): Promise<string | undefined>
  /** With symlinks resolved; of what does not exist yet, as far as it does. */
  realpath(path: string): Promise<string>
  /**
   * The values in files of the workspace around a directory that keep secrets (`.env`, `.npmrc`, keys), as far as these
   * are easily found; looked up again when such a file changes. Undefined where nothing can find them out.
   */
  knownSecrets?(directory: string): Eventually<readonly { readonly text: string; readonly type: string }[]>
  /** Writes a file that only the user can read, and the directories above it. */
  write(path: string, text: string): Promise<void>
  append(path: string, text: string): Promise<void>
  remove(path: string): Promise<void>
  /** Sends a request, after checking that the address is allowed. Throws when it is not, or when no answer comes. */
  request(request: KitRequest): Promise<{ status: number; body: string }>

  /** What this builtin remembered in this session under this key; plain data. */
  recall<T>(key: string): Promise<T | undefined>
  /** Changes what is remembered, one change at a time. */
  update<T>(key: string, change: (current: T | undefined) => T): Promise<T>
  /** Works while nobody else, in this process or another, works under the same path. */
  exclusive<T>(path: string, work: () => Promise<T>): Promise<T>
}

/** The world an example plays in, made real in an empty directory by whoever runs it. */
export interface World {
  /** Paths are relative to the working directory. */
  files?: Readonly<Record<string, string>>
  homeFiles?: Readonly<Record<string, string>>
  /** A git repository with these commits, each of which adds all files there are. */
  commits?: readonly string[]
  /** Files written after the commits. */
  edits?: Readonly<Record<string, string>>
  now?: string
  machine?: Partial<Machine>
  env?: Readonly<Record<string, string>>
}

/** A case that documents and tests the builtin at once. In texts, `{cwd}` and `{home}` stand for the world's directories. */
export interface BuiltinExample<E extends EventName = EventName> {
  title: string
  given?: World
  /** What happened before, in the same session, to the same builtin with the same args. */
  before?: readonly { event: EventName; payload: Record<string, unknown>; files?: Readonly<Record<string, string>> }[]
  event: E
  payload: Payload<E>
  args?: unknown
  /** The opinion expected; `undefined` for none. Only the fields given are compared. */
  expect: Partial<Opinion> | undefined
  /** It fails instead, in this way. */
  fails?: FailureKind
}

export type Answer<E extends EventName> = OpinionFor<E> | undefined | Promise<OpinionFor<E> | undefined>

/** Written as a method, so that a builtin of certain events and arguments is one of a list of builtins. */
type MakeCanary<E extends EventName, A> = {
  make(args: A, event: E): BuiltinExample<E> | undefined
}['make']

type TellDeeds<E extends EventName, A> = {
  tell(args: A, event: E): readonly Deed[]
}['tell']

export interface Builtin<E extends EventName = EventName, A = unknown> {
  name: string
  doc: string
  /** Where it can be used; the first is where it usually is. */
  events: readonly E[]
  /** An object of arguments by name. */
  args: StandardSchema<A>
  /** docker-agent gives a list of strings; this names them, so that a config written for it works as it stands. */
  fromList?(items: readonly string[]): Record<string, unknown>
  answer(event: Event<E>, args: A, kit: BuiltinKit): Answer<E>
  /**
   * What it does beside looking on and refusing: always, or with these args on this event. From a project that nobody has
   * approved it works only if it does none of it (but for `quotes`, which hides its words from the model, and `allows`, which does not count there). Absent: it
   * needs approval.
   */
  does?: readonly Deed[] | TellDeeds<E, A>
  /** Where its arguments make it do more than that: the arguments with which it holds until somebody approves the rest. */
  untilApproved?(args: A, event: E): A
  examples: readonly BuiltinExample<E>[]
  /** It records, counts or sends: it does so once for an event, also when others rewrite the event and hooks run again. */
  once?: true
  /**
   * Of the text of a result it takes out nothing but what the secrets guard finds, and what stands in the user's own
   * secrets files: the user may see it through that guard while it comes.
   */
  liveOutput?: true
  /**
   * For guards: an event it must block, with default args; or with these args on this event. `doctor` raises it to prove
   * that the guard is live. On other events, an example that blocks or rewrites serves as well.
   */
  canary?: BuiltinExample<E> | MakeCanary<E, A>
}

/** Identity, for inference. */
export const defineBuiltin = <E extends EventName, A>(builtin: Builtin<E, A>): Builtin<E, A> => builtin

/** For a builtin that does something else on each event: one function per event, and no other event. */
export type Legs<A> = { [E in EventName]?: (event: Event<E>, args: A, kit: BuiltinKit) => Answer<E> }

export function byEvent<A>(legs: Legs<A>): Pick<Builtin<EventName, A>, 'events' | 'answer'> {
  return {
    events: Object.keys(legs) as EventName[],
    answer: (event, args, kit) =>
      (legs[event.name] as Legs<A>['stop'])?.(event as Event<'stop'>, args, kit) as Answer<EventName>,
  }
}
