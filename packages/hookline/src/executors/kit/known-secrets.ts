import { closeSync, constants, fstatSync, opendirSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { holdsCredentials } from '../../guards/paths/index.ts'
import { type KnownSecret, secretsInFile } from '../../guards/secrets/index.ts'
import { workspaceOf } from '../../platform/look/index.ts'
import { isRegenerable } from '../../stakes/index.ts'

/** What is looked at, at most: a result waits for this. What lies near the root is looked at first. */
const most = {
  levels: 4,
  directories: 256,
  entriesOfOne: 2_000,
  entries: 10_000,
  files: 64,
  bytesOfOne: 64 * 1024,
  secrets: 1_000,
  workspaces: 8,
}

/** Where such values usually are: a directory with too many entries does not hide them. */
const usualNames = ['.env', '.env.local', '.env.development', '.env.production', '.env.test', '.npmrc', '.netrc']

/**
 * The secrets in files of the workspace around a directory. Sync, and remembered: when nothing changed, it costs a look at
 * the times of its directories. The same list as before comes back while it is the same.
 */
export function knownSecretsAround(directory: string): readonly KnownSecret[] {
  const root = workspaceOf(directory)
  const memory = remembered.get(root) ?? { listings: new Map(), contents: new Map(), parts: [], all: [] }
  remembered.delete(root)
  remembered.set(root, memory)
  for (const oldest of remembered.keys()) if (remembered.size > most.workspaces) remembered.delete(oldest)

  const parts = secretsFiles(root, memory).map((file) => contentOf(file, memory))
  if (parts.length !== memory.parts.length || parts.some((part, at) => part !== memory.parts[at])) {
    memory.parts = parts
    memory.all = parts.flat().slice(0, most.secrets)
  }
  return memory.all
}

interface Memory {
  listings: Map<string, Remembered<Listing>>
  contents: Map<string, Remembered<readonly KnownSecret[]>>
  /** Of each file. */
  parts: readonly (readonly KnownSecret[])[]
  all: readonly KnownSecret[]
}

interface Remembered<T> {
  version: string
  /** When it was looked at. */
  at: number
  value: T
}

interface Listing {
  directories: readonly string[]
  files: readonly string[]
  looked: number
}

const remembered = new Map<string, Memory>()

/** Level by level, so that a large tree below does not hide what lies above. */
function secretsFiles(root: string, { listings }: Memory): string[] {
  const files: string[] = []
  const seen = new Set<string>()
  let left = most.entries
  let level = [root]
  for (let depth = 0; depth < most.levels && level.length > 0; depth++) {
    const below: string[] = []
    for (const directory of level) {
      if (left <= 0 || seen.size >= most.directories) break
      seen.add(directory)
      const listing = unlessChanged(listings, directory, () => listed(directory, root))
      if (!listing) continue
      left -= listing.looked
      files.push(...listing.files)
      below.push(...listing.directories)
    }
    level = below
  }
  for (const directory of listings.keys()) if (!seen.has(directory)) listings.delete(directory)
  return files.slice(0, most.files)
}

function listed(directory: string, root: string): Listing {
  const listing = { directories: [] as string[], files: [] as string[], looked: 0 }
  const opened = opendirSync(directory)
  try {
    for (let entry = opened.readSync(); entry; entry = opened.readSync()) {
      if (++listing.looked > most.entriesOfOne) {
        const usual = usualNames.map((name) => join(directory, name))
        listing.files = [...new Set([...usual, ...listing.files])]
        break
      }
      const path = join(directory, entry.name)
      if (!entry.isDirectory()) {
        if (holdsCredentials(path.slice(root.length))) listing.files.push(path)
      } else if (entry.name !== '.git' && !isRegenerable(path, root, true)) listing.directories.push(path)
    }
  } finally {
    opened.closeSync()
  }
  listing.files.sort()
  listing.directories.sort()
  return listing
}

function contentOf(file: string, { contents }: Memory): readonly KnownSecret[] {
  return unlessChanged(contents, file, () => secretsInFile(beginningOf(file))) ?? none
}

const none: readonly KnownSecret[] = []

function beginningOf(file: string): string {
  // A pipe that nobody writes to must not keep us waiting.
  const opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!fstatSync(opened).isFile()) return ''
    const bytes = Buffer.alloc(most.bytesOfOne)
    return bytes.toString('utf8', 0, readSync(opened, bytes, 0, bytes.length, 0))
  } finally {
    closeSync(opened)
  }
}

/** The times of file systems are coarse: what changed just before it was looked at may have changed again since. */
const coarseMs = 100

/** Undefined for what is not there or cannot be read. */
function unlessChanged<T>(memory: Map<string, Remembered<T>>, path: string, look: () => T): T | undefined {
  try {
    const stats = statSync(path)
    const version = versionOf(stats)
    const known = memory.get(path)
    if (known?.version === version && Math.max(stats.mtimeMs, stats.ctimeMs) < known.at - coarseMs) return known.value
    const at = Date.now()
    const value = look()
    memory.set(path, { version, at, value })
    return value
  } catch {
    memory.delete(path)
    return undefined
  }
}

const versionOf = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string => `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}`
