import { ownHome, realPath, stateDirectory } from '../platform/index.ts'
import { isInside } from './files.ts'

/**
 * A directory of approvals that the workspace holds is one that the workspace could have written: somebody has redirected
 * it, by a variable or by a link. At its usual place it counts, though somebody may work in their home directory; but a
 * home that lies in the workspace is one of somebody's making, unless the system says so too.
 */
export function isRedirected(directory: string, workspace: string, home: string): boolean {
  const isUsual = directory === stateDirectory(home, {})
  if (isUsual && (home === workspace || !isInside(home, workspace))) return false
  if (!isInside(directory, workspace) && !isInside(realPath(directory), realPath(workspace))) return false
  return !isUsual || home !== ownHome()
}
