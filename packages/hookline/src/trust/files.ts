import { createHash } from 'node:crypto'
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { dirname, relative, sep } from 'node:path'
import { isForeignOwner, ownHome, realPath, stateDirectory, targetAt } from '../platform/index.ts'
import type { PinnedFile } from './digest.ts'

/** A script is written by people; anything larger is not read, let alone trusted. */
export const largestFile = 64 * 1024 * 1024

export type Look = { file: PinnedFile; refused?: string; warning?: string }

/**
 * Looks at the bytes that would run. Never hangs: a FIFO is not waited for, a device not read. `roots` are the
 * directories that a link inside them must not lead out of.
 */
export function lookAt(path: string, roots: readonly string[]): Look {
  let realpath: string
  try {
    realpath = realpathSync.native(path)
  } catch {
    return { file: { path, missing: true } }
  }
  const descriptor = openOrError(realpath)
  if (typeof descriptor !== 'number')
    return { file: { path, missing: true }, refused: `${path} cannot be read: ${descriptor.message}` }
  try {
    const stats = fstatSync(descriptor, { bigint: true })
    const refused = refusal(path, realpath, stats, roots)
    const mode = Number(stats.mode & 0o7777n)
    if (refused !== undefined || !stats.isFile())
      return { file: { path, missing: true }, refused: refused ?? `${path} is not a regular file` }
    const shared = [realpath, dirname(realpath)].find((each) => statSync(each).mode & 0o020)
    const warning = shared === undefined ? undefined : `${shared} can be changed by everybody of its group`
    const file = { path, realpath, sha256: hashOf(descriptor, realpath, stats), mode, size: Number(stats.size) }
    return { file, ...(warning === undefined ? {} : { warning }) }
  } finally {
    closeSync(descriptor)
  }
}

/** The text of a script, for what it sources and for showing what has changed. */
export function readScript(path: string, limit: number): string | undefined {
  const descriptor = openOrError(path)
  if (typeof descriptor !== 'number') return undefined
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile() || stats.size > limit) return undefined
    const bytes = Buffer.alloc(stats.size)
    const text = bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0))
    return text.includes(0) ? undefined : text.toString('utf8')
  } finally {
    closeSync(descriptor)
  }
}

/** Who else could change what stands there: its owner or that of a directory above, and everybody if one of them is open to all. */
export function untrustedWriter(path: string): string | undefined {
  for (let at = path; ; at = dirname(at)) {
    const stats = targetAt(at)
    if (!stats) return undefined
    if (isForeignOwner(stats.uid, stats.isDirectory())) return `${at} belongs to another user (uid ${stats.uid})`
    // In a directory with the sticky bit, such as /tmp, nobody can replace what belongs to others.
    if (stats.mode & 0o002 && !(stats.isDirectory() && stats.mode & 0o1000)) return `${at} can be changed by everybody`
    if (at === dirname(at)) return undefined
  }
}

/** Whether `path` is inside the directory. */
export function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path)
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`))
}

function refusal(path: string, realpath: string, stats: BigIntStats, roots: readonly string[]): string | undefined {
  if (!stats.isFile()) return `${path} is not a regular file`
  if (stats.size > largestFile) return `${path} is larger than ${largestFile / 1024 / 1024} MiB`
  if (stats.mode & 0o6000n) return `${path} has the setuid or setgid bit`
  const root = roots.find((root) => isInside(path, root) && !isInside(realpath, realPath(root)))
  if (root !== undefined) return `${path} is a link that leads out of ${root}, to ${realpath}`
  return untrustedWriter(realpath)
}

function openOrError(path: string): number | Error {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch (error) {
    return error as Error
  }
}

/** Two writes within one tick of the file system's clock look the same; only a file this old can be known by its stamp. */
const settledMs = 2_000

/** Tells whether a file has changed without reading it: mtime can be set back, ctime cannot. */
export function stampOf(stats: BigIntStats | undefined): string | undefined {
  if (!stats || Date.now() - Number(stats.ctimeNs / 1_000_000n) < settledMs) return undefined
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mode}:${stats.mtimeNs}:${stats.ctimeNs}`
}

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Of a regular file of ours. */
export function hashOfFile(path: string): string {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    return hashOf(descriptor, path, fstatSync(descriptor, { bigint: true }))
  } finally {
    closeSync(descriptor)
  }
}

const hashes = new Map<string, { stamp: string; sha256: string }>()

function hashOf(descriptor: number, realpath: string, stats: BigIntStats): string {
  const stamp = stampOf(stats)
  const known = hashes.get(realpath)
  if (stamp !== undefined && known?.stamp === stamp) return known.sha256
  const hash = createHash('sha256')
  const chunk = Buffer.alloc(64 * 1024)
  for (let at = 0; ; ) {
    const read = readSync(descriptor, chunk, 0, chunk.length, at)
    if (read === 0) break
    hash.update(chunk.subarray(0, read))
    at += read
  }
  const sha256 = hash.digest('hex')
  if (hashes.size > 1_000) hashes.clear()
  if (stamp !== undefined) hashes.set(realpath, { stamp, sha256 })
  return sha256
}

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
