import { placeOfPath } from '../guards/shell/index.ts'
import { isCache } from './regenerable.ts'
import type { Setting } from './types.ts'

/** Where a path lies, seen from the workspace. `inside`: git may know it. */
export type Where = 'vital' | 'scratch' | 'cache' | 'inside' | 'elsewhere' | 'lock'

export function whereIs(path: string, { home, workspace, cwd }: Setting): Where {
  if (path === '/' || contains(path, home)) return 'vital'
  const own = isWorkspace(workspace, home)
  // Whoever has gone down into a directory of the working tree may empty it: git knows what is in it.
  if (own && (contains(path, workspace) || (contains(path, cwd) && !contains(workspace, path)))) return 'vital'
  const git = inGit(path)
  if (git) return git
  if (own && contains(workspace, path)) return 'inside'
  // A home is one wherever it lies, also below /tmp.
  if (contains(home, path)) return isCache(path.slice(home.length + 1)) ? 'cache' : 'elsewhere'
  switch (placeOfPath(path, home)) {
    case 'root':
    case 'system':
    case 'device':
    case 'home':
      return 'vital'
    case 'temp':
    case 'sink':
      return 'scratch'
    case 'artefact':
      return path.startsWith('/var/') ? 'cache' : 'elsewhere'
    default:
      return 'elsewhere'
  }
}

/** A home directory, or the root, is no workspace as a whole, wherever the agent was started. */
const isWorkspace = (workspace: string, home: string): boolean => !contains(workspace, home)

/** Of `.git`, what git cannot make again. Locks are left behind by what crashed. */
function inGit(path: string): 'vital' | 'lock' | undefined {
  const found = /\/\.git(?:\/(.*))?$/.exec(path)
  if (!found) return undefined
  const [, inside = ''] = found
  return /^(?:$|objects|refs|logs|HEAD$|config$|packed-refs$|modules|worktrees|index$|hooks)/.test(inside) &&
    !inside.endsWith('.lock') &&
    !inside.endsWith('.sample')
    ? 'vital'
    : 'lock'
}

/** `inner` is `outer`, or lies below it. */
export const contains = (outer: string, inner: string): boolean =>
  inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`)
