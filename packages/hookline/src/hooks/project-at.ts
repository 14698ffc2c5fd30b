import { isAbsolute } from 'node:path'
import { projectRoot } from '../config/index.ts'
import { homeDirectory } from '../platform/index.ts'

/** A directory becomes a project, or ceases to be one, while a program lives. */
const lastsMs = 60_000
const mostRemembered = 256

const known = new Map<string, { root: string | undefined; at: number }>()

/** The root of the project at a directory. Looked up once a minute: most events come from the same few places. */
export function projectAt(cwd: string): string | undefined {
  const found = known.get(cwd)
  if (found && Date.now() - found.at < lastsMs) return found.root
  const root = isAbsolute(cwd) ? lookUp(cwd) : undefined
  if (known.size >= mostRemembered) known.clear()
  known.set(cwd, { root, at: Date.now() })
  return root
}

/** An entry without a project is better than none: a directory may be gone, or closed to us. */
function lookUp(cwd: string): string | undefined {
  try {
    return projectRoot(cwd, homeDirectory())
  } catch {
    return undefined
  }
}
