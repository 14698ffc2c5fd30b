import type { Where } from './errors.ts'
import type { Facet } from './event-row.ts'
import type { EventName } from './events.ts'

/** Rank of the file a hook came from, strongest first. A lower layer never weakens a higher one. */
export const layers = ['managed', 'fleet', 'user', 'project', 'local', 'session', 'code'] as const
export type Layer = (typeof layers)[number]
/** How strong a layer is: 0 is the strongest. */
export const layerRank = (layer: Layer): number => layers.indexOf(layer)

/** What the administrator of the machine or of the fleet decides: nobody on the machine switches it off, edits it or approves it. */
export const isAdministrators = (layer: Layer): boolean => layer === 'managed' || layer === 'fleet'

export const failurePolicies = ['closed', 'open', 'warn'] as const
/** What a failing hook amounts to: a deny, nothing, or nothing but a warning the user reads. */
export type FailurePolicy = (typeof failurePolicies)[number]

export const modes = ['enforce', 'shadow'] as const
/** A shadow hook runs like any other, and only reports what it would have done. */
export type Mode = (typeof modes)[number]

/** How one piece of text is tested. Plain names never reach the regex engine. */
export type TextTest =
  | { any: true }
  | { names: readonly string[]; prefixes?: readonly string[] }
  | { regex: string; whole: boolean }

/**
 * One test of a matcher. `facet` says what is looked at; the event's row says in which payload field it is found.
 * `path` leads into the arguments (facet `args`); several values may be found, and one that passes is enough.
 * `negate` turns it round: no value passes, which is also true when there is none.
 * `keysOnly`: the path is keys and nothing else. Lists are not entered, and what is not there is the empty text.
 */
export interface MatchTest {
  facet: Facet
  path?: readonly (string | number)[]
  keysOnly?: true
  test: TextTest
  negate?: boolean
  where?: Where
}

/** What to run: the executor's type and its spec, which the executor's schema validates. */
export interface Run {
  type: string
  [key: string]: unknown
}

/** The short forms of `run`: a text is a shell command, a function runs in this process. */
export function asRun(given: Run | string | ((...asked: never) => unknown)): Run {
  if (typeof given === 'string') return { type: 'command', command: given }
  return typeof given === 'function' ? { type: 'function', handler: given } : given
}

export interface Origin {
  layer: Layer
  where?: Where
  /** Where the parts of what it runs are written, by id: each rule of a list of rules. */
  places?: Readonly<Record<string, Where>>
  /** Of the fleet: real path → SHA-256 of every file that was signed with it. */
  signed?: Readonly<Record<string, string>>
  /** From a bundle that is found by name and not in a file: whoever wrote the file that uses it has not written its words. */
  ours?: BundleChoice
}

/** What a file says of a bundle of ours: its name, what it gives to it, and the rules that it leaves out. */
export interface BundleChoice {
  bundle: string
  given: Readonly<Record<string, unknown>>
  without?: readonly string[]
}

/** One configured reaction: event, matcher, what to run, failure policy, origin. Plain data, but for functions given in code. */
export interface Hook {
  id: string
  event: EventName
  /** The dialect of the hook: how its payload is written and its reply is read. */
  dialect: string
  /** All tests must pass; none means always. */
  matcher: readonly MatchTest[]
  run: Run
  timeoutMs: number
  /** Absent: the event's row decides. */
  onFailure?: FailurePolicy
  mode: Mode
  /** Never delays the event; its opinion does not count, only its failure is reported. */
  background: boolean
  /** Hooks of one stage run together; the next stage sees the rewrites of the one before. */
  stage: number
  enabled: boolean
  /** Runs only when no permission rule has decided (docker-agent's ordinary `pre_tool_use` entries). */
  unlessRuled?: boolean
  /** Does not run for events of sub-agents (Crush). */
  topLevelOnly?: boolean
  /** Runs once per dispatch, whatever others rewrite afterwards, because its system does so. Absent: it runs again on the final input. */
  judgesOnce?: boolean
  /** Two hooks of one event with the same key run once. Absent: the full identity of the hook is the key. */
  dedupe?: string
  /** Another payload that this guard must block, for `doctor`. */
  canary?: unknown
  env: Readonly<Record<string, string>>
  workingDir?: string
  description?: string
  origin: Origin
  /**
   * The hook that people know it by: the same from the same place, on another event (a list of rules judges on several).
   * They see, count, approve and mute that one, and what holds for it holds for this one.
   */
  partOf?: { id: string; event: EventName }
}

/** The same under another id. */
export const renamed = (hook: Hook, rename: (id: string) => string): Hook => ({
  ...hook,
  id: rename(hook.id),
  ...(hook.partOf && { partOf: { ...hook.partOf, id: rename(hook.partOf.id) } }),
})

/** What people see of hooks: each thing once, whatever events it runs on. */
export const wholes = <H extends Hook>(hooks: readonly H[]): H[] => hooks.filter(({ partOf }) => partOf === undefined)

/** What every codec starts from. */
export const hookDefaults = {
  matcher: [],
  timeoutMs: 30_000,
  mode: 'enforce',
  background: false,
  stage: 0,
  enabled: true,
  env: {},
} as const satisfies Partial<Hook>
