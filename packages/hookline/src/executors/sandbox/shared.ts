import type { Entry, Job, Outcome, Tree } from './job.ts'

/** Files of a session that others see, too: an agent whose tools work in the same sandbox. */
export interface SharedFiles {
  readonly tree: ReadonlyMap<string, Entry>
  apply(changed: Tree, removed: readonly string[]): void
  /** Where the tools of the agent run in a container, scripts of hooks do, too. */
  run?(job: Job, signal: AbortSignal): Promise<Outcome>
}

type Find = (session: string) => SharedFiles | undefined

const finders = new Set<Find>()

/** From now on, scripts of these sessions work on these files: what a hook seeds, the tools of the agent see. Gives back how to end that. */
export function shareSessionFiles(find: Find): () => void {
  finders.add(find)
  return () => void finders.delete(find)
}

export function sharedFilesOf(session: string | undefined): SharedFiles | undefined {
  if (session === undefined) return undefined
  for (const find of finders) {
    const found = find(session)
    if (found) return found
  }
  return undefined
}
