/** Which files git tracks, from its index. */
import { readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { findGitDirectory } from './repository.ts'

const largestIndex = 8 * 1024 * 1024

/** A directory is tracked when something in it is. */
export function trackedIn(read: (path: string) => string | undefined): (path: string) => boolean | undefined {
  const repositories = new Map<string, { root: string; names: ReadonlySet<string> } | undefined>()
  return (path) => {
    if (!isAbsolute(path)) return undefined
    const directory = dirname(path)
    if (!repositories.has(directory)) repositories.set(directory, openIndex(directory, read))
    const found = repositories.get(directory)
    return found?.names.has(relative(found.root, path))
  }
}

function openIndex(
  directory: string,
  read: (path: string) => string | undefined,
): { root: string; names: ReadonlySet<string> } | undefined {
  const found = findGitDirectory(directory, read)
  if (!found) return undefined
  const names = readIndex(join(found.own, 'index'))
  return names && { root: found.root, names }
}

/** Names of all entries and of the directories above them; undefined when the file is missing, too large or of another kind. */
function readIndex(path: string): ReadonlySet<string> | undefined {
  try {
    if (statSync(path).size > largestIndex) return undefined
    return namesIn(readFileSync(path))
  } catch {
    return undefined
  }
}

/** Entries have 62 bytes (64 where extended), the name, and NULs up to a multiple of 8; in version 4 names share beginnings. */
function namesIn(index: Buffer): ReadonlySet<string> | undefined {
  if (index.toString('latin1', 0, 4) !== 'DIRC') return undefined
  const version = index.readUInt32BE(4)
  if (version < 2 || version > 4) return undefined
  const names = new Set<string>()
  let [at, name] = [12, '']
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const isExtended = (index.readUInt16BE(at + 60) & 0x4000) !== 0
    let from = at + (isExtended ? 64 : 62)
    let kept = ''
    if (version === 4) {
      const cut = readNumber(index, from)
      kept = name.slice(0, name.length - cut.value)
      from = cut.end
    }
    const end = index.indexOf(0, from)
    name = kept + index.toString('latin1', from, end)
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7)
    addWithParents(Buffer.from(name, 'latin1').toString('utf8'), names)
  }
  return names
}

function addWithParents(name: string, names: Set<string>): void {
  for (let path = name; path !== '' && !names.has(path); path = path.slice(0, Math.max(0, path.lastIndexOf('/'))))
    names.add(path)
}

/** As git writes offsets: seven bits at a time, each further byte adding one. */
function readNumber(bytes: Buffer, from: number): { value: number; end: number } {
  let at = from
  let byte = bytes.readUInt8(at++)
  let value = byte & 0x7f
  while (byte & 0x80) {
    byte = bytes.readUInt8(at++)
    value = (value + 1) * 128 + (byte & 0x7f)
  }
  return { value, end: at }
}
