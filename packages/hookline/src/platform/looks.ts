import { lstatSync, readdirSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Looks at the file system that can be repeated. A search that is made of nothing else finds the same again as long as
 * every look does: a process that lives long repeats those, which are few, and searches only when one differs.
 */
export interface Looks {
  /** Whether every look still sees the same. */
  hold(): boolean
}

/** What stands there itself, a link included; undefined: nothing. Throws where one may not look. */
export const entryAt = (path: string): Stats | undefined => look('entry', path)
/** What it leads to. */
export const targetAt = (path: string): Stats | undefined => look('target', path)
/** What is in a directory; throws where it cannot be listed. */
export const listAt = (directory: string): string[] => look('list', directory)
/** The path without links; throws where nothing is there. */
export const realAt = (path: string): string => look('real', path)
/** A file whose content matters, read by the caller: seen as changed when it was touched, and for a while after that. */
export const contentAt = (path: string): Stats | undefined => look('content', path)

/** Does the work, which must not wait for anything, and remembers where it has looked. */
export function recordLooks<T>(work: () => T): { result: T; looks: Looks } {
  const outer = recording
  const seen: Recording = new Map()
  recording = seen
  try {
    const result = work()
    const all = [...seen.values()]
    return {
      result,
      looks: { hold: () => all.every(({ kind, path, mark }) => mark !== undefined && mark === markAt(kind, path)) },
    }
  } finally {
    recording = outer
  }
}

type Recording = Map<string, { kind: Kind; path: string; mark: string | undefined }>
let recording: Recording | undefined

interface Kinds {
  entry: Stats | undefined
  target: Stats | undefined
  content: Stats | undefined
  list: string[]
  real: string
}
type Kind = keyof Kinds

const ways: { [K in Kind]: { at(path: string): Kinds[K]; mark(found: Kinds[K], path: string): string | undefined } } = {
  entry: {
    at: (path) => lstatSync(path, noThrow),
    mark: (found, path) => (found?.isSymbolicLink() ? `link ${readlinkSync(path)}` : kindOf(found)),
  },
  target: { at: (path) => statSync(path, noThrow), mark: kindOf },
  content: { at: (path) => lstatSync(path, noThrow), mark: (found) => (found ? stampIn(found) : kindOf(found)) },
  list: { at: (path) => readdirSync(path), mark: (found) => found.join('\0') },
  real: { at: (path) => realpathSync.native(path), mark: (found) => found },
}
const noThrow = { throwIfNoEntry: false } as const

function look<K extends Kind>(kind: K, path: string): Kinds[K] {
  const { at, mark } = ways[kind]
  try {
    const found = at(path)
    if (recording) remember(recording, kind, path, mark(found, path))
    return found
  } catch (error) {
    if (recording) remember(recording, kind, path, (error as NodeJS.ErrnoException).code)
    throw error
  }
}

/** Where nothing is there, and the directory is not there either, one look at that does for all that could be in it. */
function remember(into: Recording, kind: Kind, path: string, mark: string | undefined): void {
  const parent = dirname(path)
  const isAllAbsent = mark === absent && parent !== path && markAt('target', parent) === absent
  if (isAllAbsent) remember(into, 'target', parent, absent)
  else into.set(`${kind} ${path}`, { kind, path, mark })
}

function markAt<K extends Kind>(kind: K, path: string): string | undefined {
  const { at, mark } = ways[kind]
  try {
    return mark(at(path), path)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

const absent = 'absent'

/** Not when it was changed: a directory changes with all that comes and goes in it. */
function kindOf(found: Stats | undefined): string {
  return found ? `${found.dev}:${found.ino}:${found.mode}:${found.uid}:${found.gid}` : absent
}

/** Two changes within one tick of the file system's clock look the same; only what is this old can be known by its stamp. */
const settledMs = 2_000

/** Tells whether a file has changed without reading it: mtime can be set back, ctime cannot. Undefined: it is too young. */
export function stampIn(stats: Stats): string | undefined {
  if (Math.abs(Date.now() - stats.ctimeMs) < settledMs) return undefined
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mode}:${stats.uid}:${stats.mtimeMs}:${stats.ctimeMs}`
}
