/** What the analysis of a call may look at on this machine: bounded, kept for one decision. Only `dirty` starts a process. */
import { opendirSync, readFileSync, statSync } from 'node:fs'
import type { Look } from '../../rules/index.ts'
import { existingRealPath, isDirectory } from '../paths.ts'
import { homeDirectory } from '../places.ts'
import { findGitDirectory, readRepository } from './repository.ts'
import { trackedIn } from './tracked.ts'

export { type KeptOptions, keptFiles } from './kept.ts'

/** The root of the working tree around a directory; without one, the directory itself. */
export const workspaceOf = (directory: string): string =>
  findGitDirectory(directory, (path) => readSmall(path, 4_096))?.root ?? directory

export interface MachineLookOptions {
  /** The home directory of whoever the command runs as; of this process, if absent. */
  home?: string
  /** The largest file that is read, in bytes. */
  largestFile?: number
  /** The largest directory that is listed. A larger one is not listed in part: its patterns stay patterns. */
  mostNames?: number
}

/** Asks the machine once for each thing, so that one decision sees one state of it: make a new one for each decision. */
export function machineLook(options: MachineLookOptions = {}): Look {
  const { home = homeDirectory(), largestFile = 65_536, mostNames = 1_000 } = options
  const read = kept((path: string) => readSmall(path, largestFile))
  return {
    home,
    realpath: kept(existingRealPath),
    read,
    list: kept((path: string) => listSmall(path, mostNames)),
    isDirectory: kept(isDirectory),
    tracked: trackedIn(read),
    git: kept((directory: string) => readRepository(directory, home, read)),
  }
}

/** More answers than this are not kept: a hostile line must not fill the memory. */
const mostKept = 5_000

function kept<T>(ask: (path: string) => T): (path: string) => T {
  const answers = new Map<string, T>()
  return (path) => {
    if (answers.has(path)) return answers.get(path)!
    const answer = ask(path)
    if (answers.size < mostKept) answers.set(path, answer)
    return answer
  }
}

/** Only regular files: a pipe would wait for a writer. */
function readSmall(path: string, largest: number): string | undefined {
  try {
    const stats = statSync(path)
    return stats.isFile() && stats.size <= largest ? readFileSync(path, 'utf8') : undefined
  } catch {
    return undefined
  }
}

function listSmall(path: string, most: number): readonly string[] | undefined {
  try {
    const directory = opendirSync(path)
    try {
      const names: string[] = []
      for (let entry = directory.readSync(); entry; entry = directory.readSync()) {
        if (names.length >= most) return undefined
        names.push(entry.name)
      }
      return names.sort()
    } finally {
      directory.closeSync()
    }
  } catch {
    return undefined
  }
}
