import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { isDirectory, makeDirectory, realPath } from '../platform/index.ts'

/** The text of a file; undefined where there is none. What is no UTF-8 text is an error: writing it back would change it. */
export function readText(path: string): string | undefined {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  // The byte-order mark is a part of the text here.
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}

/**
 * Replaces the content of a file so that nobody ever reads half of it. Links stay links, and the mode and the owner stay
 * what they were. A file that has other names too is written in place, so that they stay names of one file.
 * Gives back the directories that had to be made, outermost first.
 */
export function writeText(path: string, text: string, mode?: number): string[] {
  const made = makeParents(path)
  const target = realPath(path)
  const before = statSync(target, { throwIfNoEntry: false })
  if (before && before.nlink > 1) {
    writeFileSync(target, text)
    return made
  }
  const draft = `${target}.${randomUUID()}.tmp`
  try {
    const file = openSync(draft, 'wx', mode ?? 0o644)
    try {
      // All of it: one write may take only a part, as on a disk that is nearly full.
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    if (before) {
      if (before.uid !== process.getuid?.() || before.gid !== process.getgid?.())
        chownSync(draft, before.uid, before.gid)
      chmodSync(draft, before.mode & 0o7777)
    } else if (mode !== undefined) chmodSync(draft, mode)
    renameSync(draft, target)
  } finally {
    rmSync(draft, { force: true })
  }
  return made
}

function makeParents(path: string): string[] {
  const missing: string[] = []
  for (let at = dirname(path); !isDirectory(at) && at !== dirname(at); at = dirname(at)) missing.unshift(at)
  makeDirectory(dirname(path), 0o755)
  return missing
}

/** Removes a file, and those directories that were made for it and hold nothing else now. */
export function removeFile(path: string, made: readonly string[]): void {
  rmSync(path, { force: true })
  for (const directory of made.toReversed())
    try {
      rmdirSync(directory)
    } catch {
      return
    }
}
