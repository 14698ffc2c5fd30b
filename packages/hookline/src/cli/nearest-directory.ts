import { statSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'
import { homeDirectory } from '../platform/index.ts'

/** The directory itself, or the next one above it that is still there. */
export function nearestDirectory(path: string | undefined): string {
  if (path === undefined || !isAbsolute(path)) return nearestDirectory(homeDirectory())
  const isThere = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  return isThere || path === dirname(path) ? path : nearestDirectory(dirname(path))
}
