import {
  type BrokenEntry,
  didYouMean,
  type Executor,
  type Explanation,
  formatPath,
  formatWhere,
  type Hook,
  type MatchTest,
  type Note,
  note,
  validate,
  type Where,
} from '../core/index.ts'
import { isMadeId, isRulesId } from '../dialects/native/index.ts'
import type { Path } from './tree.ts'

export interface ValidatedHooks {
  /** Those without problems, in config order, each with an id of its own. */
  hooks: Hook[]
  problems: Note[]
  /** The same, with what is known of each hook. */
  broken: (BrokenEntry & { hook: Hook })[]
  notes: Note[]
}

/** Where a part of a hook is written; without it, problems are reported at the place of the hook. */
export type LocateIn = (hook: Hook, path: Path) => Where | undefined

/**
 * What can only be checked once all hooks of all files are there, and the executors: patterns compile, types are known,
 * specs fit, ids are unique.
 */
export async function validateHooks(
  hooks: readonly Hook[],
  executors: Readonly<Record<string, Executor>>,
  locateIn: LocateIn = () => undefined,
  types: readonly string[] = Object.keys(executors),
): Promise<ValidatedHooks> {
  const compile = await patternCheck(hooks)
  const problems: Note[] = []
  const broken: ValidatedHooks['broken'] = []
  const notes: Note[] = []
  const valid: Hook[] = []
  const ids = idKeeper(hooks)
  for (const hook of hooks) {
    const about = (path: Path): { hook: string; where?: Where } => {
      const where = locateIn(hook, path) ?? hook.origin.where
      return { hook: hook.id, ...(where && { where }) }
    }
    const id = ids(hook)
    const found = [
      ...(id.ok ? [] : [note('duplicate-id', { id: hook.id, first: id.first }, about(['id']))]),
      ...hook.matcher.flatMap((test) =>
        compile(test, { ...about(['matcher']), ...(test.where && { where: test.where }) }),
      ),
      ...checkRun(hook, executors, types, about),
    ]
    problems.push(...found)
    const guards = hook.enabled && hook.mode === 'enforce' && !hook.background
    const { event, matcher } = hook
    broken.push(...found.map((problem) => ({ problem, hook, matcher, ...(guards && { event }) })))
    const sound = id.ok && (found.length === 0 ? hook : soundPart(hook, executors))
    if (!id.ok || !sound) continue
    notes.push(...doubtsOf(hook, executors, about))
    valid.push(id.id === sound.id ? sound : { ...sound, id: id.id })
    // Nobody has chosen the ids in a bundle, and two layers may well use the same one.
    if (id.taken && !hook.id.includes(':'))
      notes.push(note('id-taken', { id: hook.id, renamed: id.id, ...id.taken }, about(['id'])))
  }
  return { hooks: valid, problems, broken, notes }
}

function checkRun(
  hook: Hook,
  executors: Readonly<Record<string, Executor>>,
  types: readonly string[],
  about: (path: Path) => object,
): Note[] {
  const { type, ...spec } = hook.run
  const executor = Object.hasOwn(executors, type) ? executors[type] : undefined
  if (!executor) {
    const details = { type, hint: didYouMean(type, types), known: types.join(', ') }
    return [note('unknown-executor', details, about(['run', 'type']))]
  }
  const checked = validate(executor.spec, spec)
  if (checked.ok) return (executor.check?.(spec, hook) ?? []).map((problem) => ({ ...about(['run']), ...problem }))
  return checked.problems.map((explanation) => specProblem(type, explanation, about))
}

/** A list of rules works without those that are broken; any other hook that is broken in part is broken. */
function soundPart(hook: Hook, executors: Readonly<Record<string, Executor>>): Hook | undefined {
  const { type, ...spec } = hook.run
  const executor = Object.hasOwn(executors, type) ? executors[type] : undefined
  if (!executor?.soundPart || !validate(executor.spec, spec).ok) return undefined
  const part = executor.soundPart(spec, hook)
  return part && { ...hook, run: { type, ...spec, ...part } }
}

function doubtsOf(
  hook: Hook,
  executors: Readonly<Record<string, Executor>>,
  about: (path: Path) => object,
): readonly Note[] {
  const { type, ...spec } = hook.run
  return (executors[type]?.doubts?.(spec, hook) ?? []).map((doubt) => ({ ...about(['run']), ...doubt }))
}

function specProblem(
  type: string,
  { path, detail, fix, unknownKey }: Explanation,
  about: (path: Path) => object,
): Note {
  const at = about(['run', ...path])
  if (!unknownKey) return note('spec-invalid', { type, path: formatPath(path) || 'run', detail, fix }, at)
  const { key, known } = unknownKey
  return note('config-unknown-key', { key, hint: didYouMean(key, known), known: ['type', ...known].join(', ') }, at)
}

/** Without the tests that cannot be tried: what is left matches more, never less. */
export async function withReadableTests<E extends BrokenEntry>(entries: readonly E[]): Promise<E[]> {
  const compile = await patternCheck(entries)
  return entries.map((entry) => ({
    ...entry,
    matcher: entry.matcher.filter((test) => compile(test, {}).length === 0),
  }))
}

/** The regex engine is loaded only when a pattern needs it. */
async function patternCheck(
  hooks: readonly Pick<Hook, 'matcher'>[],
): Promise<(test: MatchTest, about: object) => Note[]> {
  if (!hooks.some((hook) => hook.matcher.some(({ test }) => 'regex' in test))) return () => []
  const { compilePattern } = await import('../core/regex.ts')
  return ({ test }, about) => {
    if (!('regex' in test)) return []
    const compiled = compilePattern(test.regex, test.whole)
    return compiled.ok
      ? []
      : [note('matcher-regex', { what: 'matcher', pattern: test.regex, detail: compiled.detail }, about)]
  }
}

type KeptId = { ok: true; id: string; taken?: { first: string; layer: string } } | { ok: false; first: string }

/**
 * An id that somebody wrote belongs to one hook of its layer; in a weaker layer the layer's name distinguishes it, so
 * that nobody need know the ids of others, and nobody can take one away. A made one that two files share gets the next
 * free number.
 */
function idKeeper(hooks: readonly Hook[]): (hook: Hook) => KeptId {
  const all = new Set(hooks.map((hook) => hook.id))
  const firstUse = new Map<string, Hook>()
  return (hook) => {
    const first = firstUse.get(hook.id)
    firstUse.set(hook.id, first ?? hook)
    if (!first) return { ok: true, id: hook.id }
    if (isRulesId(hook.id)) return inLayer(hook)
    if (!isMadeId(hook.id)) return apart(hook, first)
    return { ok: true, id: numbered(hook.event, 1) }
  }

  /** Nobody has chosen what the rules of a file are called together. */
  function inLayer({ id, origin }: Hook): KeptId {
    const own = `${origin.layer}/${id}`
    const free = all.has(own) ? numbered(own, 2) : own
    all.add(free)
    return { ok: true, id: free }
  }

  function numbered(stem: string, from: number): string {
    let number = from
    while (all.has(`${stem}_${number}`)) number++
    all.add(`${stem}_${number}`)
    return `${stem}_${number}`
  }

  function apart(hook: Hook, first: Hook): KeptId {
    const place = first.origin.where ? formatWhere(first.origin.where) : 'code'
    const id = `${hook.origin.layer}/${hook.id}`
    if (hook.origin.layer === first.origin.layer || all.has(id)) return { ok: false, first: place }
    all.add(id)
    return { ok: true, id, taken: { first: place, layer: first.origin.layer } }
  }
}
