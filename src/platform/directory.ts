import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * A directory for the user alone, with those above it. Not with `recursive`: Node 20 never returns from that where the parent
 * is there and nothing can be made in it, as in /proc or in a directory of an automounter.
 */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
