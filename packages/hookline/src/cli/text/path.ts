import { printable } from '../../core/index.ts'
import { homeDirectory } from '../../platform/index.ts'

/** A path as people write it: from home where it lies there. */
export function shownPath(path: string): string {
  const home = homeDirectory()
  return printable(path === home ? '~' : path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path)
}
