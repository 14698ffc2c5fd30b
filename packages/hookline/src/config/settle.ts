import {
  type Code,
  type Hook,
  HooklineError,
  isMuted,
  type Layer,
  layerRank,
  type Muting,
  type Note,
  note,
} from '../core/index.ts'

/** Problems that leave nothing to skip to: the file as a whole was not read. They keep their own name. */
const wholeFile: ReadonlySet<Code> = new Set<Code>([
  'config-missing',
  'config-foreign',
  'config-unsafe',
  'config-unreadable',
  'config-too-large',
  'config-syntax',
  'config-version',
  'config-dialect',
  'unknown-dialect',
])

/** Whether a lenient load says by this that something in the files does not count. A strict one would have refused. */
export const isBroken = ({ code }: Note): boolean => code === 'entry-skipped' || wholeFile.has(code)

/** Strict: one error that lists every problem. Lenient: a note for each, so that nothing is dropped silently. */
export function settle(problems: readonly Note[], strict: boolean): Note[] {
  if (!strict) return problems.map(skipped)
  if (problems.length === 0) return []
  const files = [...new Set(problems.map((problem) => problem.where?.file ?? 'code'))]
  throw new HooklineError(note('config-refused', { count: problems.length, files: files.join(', ') }), problems)
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
}

/** A source mutes hooks of its own layer and of weaker ones, and never one of a stronger. */
export function muteDownwards(sources: readonly Layered[]): { hooks: Hook[]; notes: Note[] } {
  const hooks = sources.flatMap((source) => source.hooks)
  const notes: Note[] = []
  const mutings = sources.flatMap(({ layer, muted }) => muted.map((muting) => ({ ...muting, layer })))
  const reaches = ({ pattern, layer }: { pattern: string; layer: Layer }, hook: Hook) =>
    layerRank(hook.origin.layer) >= layerRank(layer) && isMuted(hook.id, [pattern])
  for (const muting of mutings) {
    if (hooks.some((hook) => reaches(muting, hook))) continue
    const { pattern, where, layer: own } = muting
    const above = hooks.find((hook) => isMuted(hook.id, [pattern]))
    notes.push(
      above
        ? note('mutes-above', { pattern, layer: above.origin.layer, own }, { where })
        : note('mutes-nothing', { pattern }, { where }),
    )
  }
  return {
    hooks: hooks.map((hook) =>
      mutings.some((muting) => reaches(muting, hook)) && hook.enabled ? { ...hook, enabled: false } : hook,
    ),
    notes,
  }
}
