import type { Entry, Tree } from './job.ts'
import { sharedFilesOf } from './shared.ts'

const mostBytes = 64 * 1024 * 1024
const mostSessions = 256
/** What an entry costs besides its content. */
const entryBytes = 256

/**
 * The files that scripts of one session leave for later scripts of it. Bounded: the session that was quiet for
 * longest is forgotten first.
 */
export interface Sessions {
  files(session: string | undefined): ReadonlyMap<string, Entry>
  /** Returns how many other sessions had to be forgotten for it. */
  keep(session: string | undefined, changed: Tree, removed: readonly string[]): number
  clear(): void
}

interface Kept {
  tree: Tree
  bytes: number
}

export function createSessions(): Sessions {
  const sessions = new Map<string, Kept>()

  return {
    files(session) {
      const shared = sharedFilesOf(session)
      if (shared) return shared.tree
      const kept = session === undefined ? undefined : sessions.get(session)
      if (!kept || session === undefined) return new Map()
      sessions.delete(session)
      sessions.set(session, kept)
      return kept.tree
    },
    keep(session, changed, removed) {
      const shared = sharedFilesOf(session)
      if (shared) {
        shared.apply(changed, removed)
        return 0
      }
      if (session === undefined || changed.size + removed.length === 0) return 0
      const tree: Tree = new Map(sessions.get(session)?.tree)
      for (const path of removed) tree.delete(path)
      for (const [path, entry] of changed) tree.set(path, entry)
      sessions.delete(session)
      if (tree.size > 0) sessions.set(session, { tree, bytes: sizeOf(tree) })
      return forgetOldest()
    },
    clear: () => sessions.clear(),
  }

  function forgetOldest(): number {
    let bytes = 0
    for (const kept of sessions.values()) bytes += kept.bytes
    let forgotten = 0
    for (const [session, kept] of sessions) {
      if (sessions.size === 1 || (bytes <= mostBytes && sessions.size <= mostSessions)) break
      sessions.delete(session)
      bytes -= kept.bytes
      forgotten++
    }
    return forgotten
  }
}

function sizeOf(tree: Tree): number {
  let bytes = 0
  for (const [path, entry] of tree)
    bytes += entryBytes + path.length + (entry.kind === 'file' ? entry.content.byteLength : 0)
  return bytes
}
