import { type Hook, settingLayers } from '../../core/index.ts'
import { definitionOf } from '../../hooks/index.ts'
import { queryJournal } from '../../journal/index.ts'
import { sizeOf } from '../journal-for.ts'

/** When a hook, as it is now, last ran, and how it last failed. */
export interface Last {
  asked?: string
  failure?: { time: string; kind: string; detail: string }
}

export interface Lasts {
  of(hook: Hook): Last
  /** The whole journal was read: what is not found never happened. */
  isWhole: boolean
}

/** Further back is not looked: a list is wanted at once. */
const mostBytes = 32 * 1024 * 1024

/**
 * From the end of the journal backwards, until all is known. The journal is one for all projects, and names are not: a
 * hook is known by its definition too, and one of a project only by what happened there.
 */
export async function lastOf(
  parts: readonly string[],
  hooks: readonly Hook[],
  project: readonly string[],
): Promise<Lasts> {
  const known = new Map(
    hooks.map((hook) => [hook.id, { hook, definition: once(() => definitionOf(hook)), last: {} as Last }]),
  )
  let unknown = 2 * known.size
  const filter = { hook: [...known.keys()], synthetic: false }
  for await (const entry of queryJournal(parts, filter, { newestFirst: true, mostBytes })) {
    for (const { id, asked, definition, failure } of entry.hooks) {
      const found = asked ? known.get(id) : undefined
      if (!found || definition !== found.definition() || !happenedFor(found.hook, entry.payload, project)) continue
      if (found.last.asked === undefined) {
        found.last.asked = entry.time
        unknown--
      }
      if (failure && !found.last.failure) {
        found.last.failure = { time: entry.time, kind: failure.kind, detail: failure.detail }
        unknown--
      }
    }
    if (unknown === 0) break
  }
  return { of: ({ id }) => known.get(id)?.last ?? {}, isWhole: sizeOf(parts) <= mostBytes }
}

/** Most hooks are in no entry, and need no name for how they are defined. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function happenedFor({ origin }: Hook, payload: unknown, project: readonly string[]): boolean {
  if (settingLayers.has(origin.layer)) return true
  const cwd = (payload as { cwd?: unknown } | undefined)?.cwd
  return typeof cwd !== 'string' || project.some((root) => cwd === root || cwd.startsWith(`${root}/`))
}
