import { type Profile, profiles } from './audience.ts'
import { isRecord } from './effects.ts'
import type { Where } from './errors.ts'
import type { Layer } from './hook.ts'
import type { RuleEntry, RuleTarget } from './rule.ts'
import { didYouMean, matchesStars } from './text.ts'

/**
 * A named set of hooks, shareable as one file: plain data, so that a bundle of ours and one in a YAML file are the
 * same thing. In a hook or rule, a value `$name` stands for the value of a parameter; in a list, for each of its values.
 */
export interface Bundle {
  name: string
  doc: string
  /** What can be chosen; a parameter without a default may be left out, and hooks that need it are then left out too. */
  parameters: Readonly<Record<string, BundleParameter>>
  hooks: readonly BundleHook[]
  rules?: readonly BundleRule[]
}

export interface BundleParameter {
  doc: string
  default?: unknown
  /** All that can be chosen, where that is a list of words. */
  values?: readonly string[]
  /** What its page shows. */
  example?: unknown
}

/** A rule as in the config file. */
export interface BundleRule extends RuleEntry {
  /** In place of the rule's own `ask` or `deny`, where a parameter decides. */
  ruling?: string
  /** It is about what others share: the profile `strict` refuses what it would ask about. */
  shared?: true
}

/** A hook as in the config file. Its id is its own within the bundle. */
export interface BundleHook {
  id: string
  event: string
  run: Readonly<Record<string, unknown>>
  /** Parameters without which this hook makes no sense. */
  needs?: readonly string[]
  [key: string]: unknown
}

/** That a config wants a bundle: one of ours by name, or a file by its path; and what it chose. */
export interface BundleUse {
  bundle: string
  given: Readonly<Record<string, unknown>>
  where: Where
}

export type Expanded =
  | { ok: true; hooks: Record<string, unknown>[]; rules: Record<string, unknown>[] }
  | { ok: false; detail: string }

/** The hooks and rules of a bundle as entries of a config, their ids with the bundle's name in front: `security:commands`. */
export function expandBundle(bundle: Bundle, given: Readonly<Record<string, unknown>> = {}): Expanded {
  const parameters: Bundle['parameters'] = { ...bundle.parameters, profile: profileParameter }
  const names = Object.keys(parameters)
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined)
    return {
      ok: false,
      detail: `the bundle ${bundle.name} has no parameter \`${unknown}\`.${didYouMean(unknown, names)}`,
    }
  const values: Record<string, unknown> = {}
  for (const [name, { default: fallback, values: choices }] of Object.entries(parameters)) {
    const chosen = given[name] ?? fallback
    if (choices && !choices.includes(chosen as string))
      return {
        ok: false,
        detail: `the ${name} of the bundle ${bundle.name} is one of ${choices.join(', ')}.${didYouMean(String(chosen), choices)}`,
      }
    values[name] = chosen
  }
  const profile = values['profile'] as Profile
  const wanted = bundle.hooks.filter(({ needs = [] }) => needs.every((name) => values[name] !== undefined))
  return {
    ok: true,
    hooks: wanted.map(({ needs: _needs, id, ...hook }) => ({
      id: `${bundle.name}:${id}`,
      ...(fill(hook, values) as object),
      ...watched(profile),
    })),
    rules: (bundle.rules ?? [])
      .map((rule) => fill(rule, values) as BundleRule)
      .filter(({ deny, ask, allow }) => saysSomething(deny ?? ask ?? allow))
      .map(({ id, ...rule }, index) => ({
        id: `${bundle.name}:${id ?? index + 1}`,
        ...ruled(rule, profile),
        ...watched(profile),
      })),
  }
}

const profileParameter: BundleParameter = { doc: 'How strict it is.', default: 'default', values: profiles }

/** A rule about a parameter that holds nothing is no rule, and an exception for nothing is none. */
const saysSomething = (target: RuleTarget = {}): boolean =>
  Object.values(target).some((patterns) => !Array.isArray(patterns) || patterns.length > 0)

const watched = (profile: Profile) => (profile === 'watch' ? { mode: 'shadow' as const } : {})

/** Where nobody can be asked, what would be is refused; so is what others share, where the profile is strict. */
function ruled({ shared, ...given }: BundleRule, profile: Profile): RuleEntry {
  const rule = chosen(given)
  const { ask, ...rest } = rule
  if (ask === undefined || !(profile === 'ci' || (profile === 'strict' && shared))) return rule
  const { unknown } = rest
  return { ...rest, deny: ask, ...(profile === 'ci' && unknown === undefined ? { unknown: 'deny' as const } : {}) }
}

/** A ruling that does not exist becomes a key that does not, and is reported as one. */
function chosen({ ruling, except, ...rest }: BundleRule): RuleEntry {
  const rule = { ...rest, ...(saysSomething(except) && { except }) }
  const { deny, ask, ...others } = rule
  return ruling === undefined ? rule : { ...others, [ruling]: deny ?? ask }
}

/** Whether an id is muted: by itself, or by a pattern such as `security:*`. */
export function isMuted(id: string, disabled: readonly string[]): boolean {
  return disabled.some((entry) => matchesStars(entry, id))
}

/** A parameter that was left out leaves no key behind; in a list, its values stand where its name does. */
function fill(value: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === 'string') {
    const name = value.startsWith('$') ? value.slice(1) : undefined
    return name !== undefined && Object.hasOwn(values, name) ? values[name] : value
  }
  if (Array.isArray(value))
    return value.flatMap((item) => (typeof item === 'string' ? (fill(item, values) ?? []) : [fill(item, values)]))
  if (!isRecord(value)) return value
  const entries = Object.entries(value).map(([key, item]) => [key, fill(item, values)] as const)
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined))
}

/** What a config file may decide beside its hooks, if it is the user's, the fleet's or the administrator's. */
export interface Settings {
  /** Where dispatches are recorded, and how. False: nowhere. */
  journal?: false | JournalSettings
  trust?: TrustSettings
  questions?: QuestionSettings
  /** Snapshots of the workspace around turns, for every agent (docker-agent's `settings.snapshot`). */
  snapshot?: boolean
}

export interface JournalSettings {
  file?: string | undefined
  durability?: 'none' | 'batch' | 'full' | undefined
  on_failure?: 'continue' | 'block' | undefined
  record?: 'asked' | 'all' | undefined
  payload?: 'full' | 'digest' | 'none' | undefined
  max_bytes?: number | undefined
  keep?: number | undefined
}

export interface TrustSettings {
  /** Who may approve besides a person at a terminal. */
  self_approve?: 'off' | 'loopback' | undefined
  /** MCP servers whose word that a call only reads counts. */
  readonly_hint?: string[] | undefined
}

export interface QuestionSettings {
  /** The desktop shows what is asked where an agent cannot ask, and questions wait for the answer. */
  notify?: boolean | undefined
}

/** Layers that only the person, their fleet or the machine's owner writes. All others may be written by whoever wrote the project. */
export const settingLayers: ReadonlySet<Layer> = new Set<Layer>(['managed', 'fleet', 'user'])

/** What the stronger layer says holds; the weaker one fills in what it leaves open. */
export function mergeSettings(strongestFirst: readonly Settings[]): Settings {
  const merged: Settings = {}
  for (const { journal, trust, questions, snapshot } of strongestFirst.toReversed()) {
    if (journal !== undefined) merged.journal = journal && merged.journal ? { ...merged.journal, ...journal } : journal
    if (snapshot !== undefined) merged.snapshot = snapshot
    if (trust) merged.trust = { ...merged.trust, ...trust }
    if (questions) merged.questions = { ...merged.questions, ...questions }
  }
  return merged
}
