import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A place of the workspace that is put into a container on top of it. */
export interface Mount {
  path: string
  writable: boolean
}

/**
 * What commands must not change, though it is in the workspace: what git would run when a person uses it later, and files that
 * hooks are read from. Whatever is a mount of its own cannot be moved, so the directories above each are, too: `mv .git g` would
 * else make room for another. Parents first.
 */
export function shelterOf({ workspace, sheltered }: { workspace: string; sheltered: readonly string[] }): Mount[] {
  const inside = [join(workspace, '.git'), ...sheltered].filter(
    (path) => path.startsWith(`${workspace}/`) && existsSync(path),
  )
  const readOnly = new Set(inside)
  const above = new Set(inside.flatMap((path) => directoriesAbove(path, workspace)))
  return [...new Set([...above, ...readOnly])]
    .toSorted((one, other) => one.split('/').length - other.split('/').length)
    .filter((path) => !directoriesAbove(path, workspace).some((each) => readOnly.has(each)))
    .map((path) => ({ path, writable: !readOnly.has(path) }))
}

function directoriesAbove(path: string, workspace: string): string[] {
  const above = dirname(path)
  return above === workspace ? [] : [...directoriesAbove(above, workspace), above]
}
