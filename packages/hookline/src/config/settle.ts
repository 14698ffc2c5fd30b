import {
  type BrokenEntry,
  type Code,
  eventRow,
  formatWhere,
  type Hook,
  HooklineError,
  isMuted,
  type Layer,
  layerRank,
  type Muting,
  type NamedRule,
  type Note,
  note,
  settingLayers,
} from '../core/index.ts'

/** Problems that leave nothing to skip to: the file as a whole was not read. They keep their own name. */
const wholeFile: ReadonlySet<Code> = new Set<Code>([
  'config-missing',
  'fleet-refused',
  'fleet-blocked',
  'config-foreign',
  'config-unsafe',
  'config-unreadable',
  'config-crowded',
  'config-too-large',
  'config-syntax',
  'config-version',
  'config-dialect',
  'unknown-dialect',
])

/** Whether a lenient load says by this that something in the files does not count. A strict one would have refused. */
export const isBroken = ({ code }: Note): boolean => code === 'entry-skipped' || wholeFile.has(code)

/** Whether only single entries do not count, or refuse what they would have guarded; all other hooks run. */
export const isPartlyBroken = ({ code }: Note): boolean => code === 'entry-broken' || code === 'guard-broken'

/** A broken entry that leaves the others alone, and where it is from. */
export interface AloneEntry extends BrokenEntry {
  dialect: string
  layer: Layer
}

/** It can refuse, and failing is refusing: then it must not be missed just because it cannot be read. */
export const isBrokenGuard = ({ event }: BrokenEntry): boolean =>
  event !== undefined && eventRow(event).failure === 'closed'

/**
 * Strict: one error that lists every problem. Lenient: a note for each, so that nothing is dropped silently. Neither is
 * said: problems of entries that leave the others alone are notes, and all others refuse.
 */
export function settle(problems: readonly Note[], strict: boolean | undefined, alone: readonly AloneEntry[]): Note[] {
  const own = new Set(alone.map(({ problem }) => problem))
  const guards = new Set(alone.filter(isBrokenGuard).map(({ problem }) => problem))
  const each = (problem: Note) => (own.has(problem) ? standing(problem, guards.has(problem)) : skipped(problem))
  if (strict === false) return problems.map(each)
  const refusing = strict ? problems : problems.filter((problem) => !own.has(problem))
  if (refusing.length === 0) return problems.map(each)
  refuse(refusing)
}

function refuse(problems: readonly Note[]): never {
  const files = [...new Set(problems.map((problem) => problem.where?.file ?? 'code'))]
  const [{ where, message }] = problems as [Note]
  const first = `${where ? `${formatWhere(where)}: ` : ''}${message}`
  throw new HooklineError(note('config-refused', { first, count: problems.length, files: files.join(', ') }), problems)
}

function standing({ where, message, remedy }: Note, guards: boolean): Note {
  const details = { place: where ? formatWhere(where) : 'in code', detail: message, fix: remedy }
  return guards ? note('guard-broken', details) : note('entry-broken', details)
}

function skipped(problem: Note): Note {
  if (wholeFile.has(problem.code)) return problem
  const { where, hook } = problem
  const about = { ...(where && { where }), ...(hook !== undefined && { hook }) }
  return note('entry-skipped', { detail: problem.message, fix: problem.remedy }, about)
}

/** Hooks that are read already, and what their source mutes. */
export interface Layered {
  layer: Layer
  hooks: readonly Hook[]
  muted: readonly Muting[]
  /** The root of the repository that its file is in. */
  repository?: string
}

/**
 * A source mutes hooks of its own layer, never one of a stronger, nor one of a repository around its own: a vendored one has no say there. Only what
 * the administrator and the user write reaches weaker layers: muting loosens, and nobody approves what a project mutes.
 */
export function muteDownwards(sources: readonly Layered[]): { hooks: Hook[]; notes: Note[] } {
  const hooks = sources.flatMap(({ hooks, repository }) => hooks.map((hook) => ({ hook, repository })))
  const notes: Note[] = []
  const mutings = sources.flatMap(({ layer, muted, repository }) =>
    muted.map((muting) => ({ ...muting, layer, repository })),
  )
  const reaches = (muting: (typeof mutings)[number], { hook, repository }: (typeof hooks)[number]) =>
    isWithin(muting.layer, hook) && isBelow(repository, muting.repository) && isNamed(hook, muting.pattern)
  for (const muting of mutings) {
    if (hooks.some((each) => reaches(muting, each))) continue
    const { pattern, where, layer: own } = muting
    const above = hooks.find(({ hook }) => isNamed(hook, pattern))?.hook
    const isOuter = above !== undefined && isWithin(own, above)
    notes.push(
      above === undefined
        ? note('mutes-nothing', { pattern }, { where })
        : isOuter
          ? note('mutes-outside', { pattern }, { where })
          : note('mutes-above', { pattern, layer: above.origin.layer, own }, { where }),
    )
  }
  return {
    hooks: hooks.map((each) =>
      mutings.filter((muting) => reaches(muting, each)).reduce((left, { pattern }) => mute(left, pattern), each.hook),
    ),
    notes,
  }
}

/** In the same repository, or in one that lies in it. What was found in none is nobody's else. */
const isBelow = (repository: string | undefined, root: string | undefined): boolean =>
  root === undefined || repository === undefined || `${repository}/`.startsWith(`${root}/`)

/** By its own id, or by that of one of its rules. */
const isNamed = (hook: Hook, pattern: string): boolean =>
  isMutedWhole(hook, pattern) || rulesIn(hook).some(({ id }) => isMuted(id, [pattern]))

const isMutedWhole = ({ id, partOf }: Hook, pattern: string): boolean =>
  isMuted(id, [pattern]) || (partOf !== undefined && isMuted(partOf.id, [pattern]))

/** A list of rules goes on without those that are muted. */
function mute(hook: Hook, pattern: string): Hook {
  const rules = rulesIn(hook)
  const left = rules.filter(({ id }) => !isMuted(id, [pattern]))
  if (isMutedWhole(hook, pattern) || left.length === 0) return hook.enabled ? { ...hook, enabled: false } : hook
  return left.length === rules.length ? hook : { ...hook, ...without(hook, pattern), run: { ...hook.run, rules: left } }
}

/** An approval of a bundle of ours binds to what was chosen of it, and that is less now. */
function without({ origin }: Hook, pattern: string): Pick<Hook, 'origin'> {
  const { ours } = origin
  return { origin: ours ? { ...origin, ours: { ...ours, without: [...(ours.without ?? []), pattern] } } : origin }
}

const rulesIn = ({ run }: Hook): readonly NamedRule[] =>
  Array.isArray(run['rules']) ? (run['rules'] as readonly NamedRule[]) : []

function isWithin(layer: Layer, { origin }: Hook): boolean {
  if (settingLayers.has(layer)) return layerRank(origin.layer) >= layerRank(layer)
  // What stands in no file was typed or given in code; no file mutes it.
  return origin.layer === layer && (layer === 'code' || origin.where !== undefined)
}
