import { createHash } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import { existsSync, type FSWatcher, readdirSync, readFileSync, statSync, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { freshenPolicy } from 'hookline/internal'

/** One file of the repository, as it is now. */
export interface PolicyFile {
  bytes: Uint8Array<ArrayBuffer>
  etag: string
}

/** What the fleet's machines fetch: the plain files that `hookline policy publish` wrote. The server signs no policy; with the online key, it renews the freshness of one. */
export interface Policies {
  /** Undefined: there is none of this name. */
  read(path: string): PolicyFile | undefined
  /** The same, once it is another than this one; undefined where that takes too long, or whoever waits is gone (`close` of its response). */
  changed(path: string, etag: string, ms: number, reader: EventEmitter): Promise<PolicyFile | undefined>
  readonly waiting: number
  /** What is published for a group, unverified: machines do that. Undefined: nothing is. */
  inForce(group: string): InForce | undefined
  /** What is published for each group that has a policy of its own, and for all others: every file by its path. */
  sources(): { group: string; files: ReadonlyMap<string, Uint8Array> }[]
  /** Which version of the policies that is, and since when; undefined: nothing is published here. */
  published(): { version: number; since: number } | undefined
  /** The policies as they lie there to be signed, where the server has more than what is published. */
  drafts(): Draft[]
  close(): void
}

export interface InForce {
  text: string
  mode: 'enforce' | 'shadow'
}

export interface Draft {
  group: string
  file: string
  text: string
}

/** Files that are looked at again when something has changed: all others have their version or digest in their name. */
const pollMs = 1_000
const mostKept = 500
/** How often it is looked whether freshness is to be renewed: a small file is read. */
const renewMs = 60_000

export function openPolicies(
  directory: string | undefined,
  online: string | undefined,
  log: (line: string) => void,
): Policies {
  const kept = new Map<string, { stamp: string; file: PolicyFile }>()
  const waiters = new Set<() => void>()
  const watcher = directory === undefined ? undefined : watching(directory, wake)
  const poll = setInterval(wake, pollMs)
  poll.unref()
  const renewal = directory === undefined || online === undefined ? undefined : renew(directory, online, log)

  function wake(): void {
    for (const look of [...waiters]) look()
  }

  function read(path: string): PolicyFile | undefined {
    if (directory === undefined || !isPlain(path)) return undefined
    const file = join(directory, path)
    const before = kept.get(path)
    if (before && isLasting(path)) return before.file
    const stats = statSync(file, { throwIfNoEntry: false })
    if (!stats?.isFile()) return undefined
    const stamp = `${stats.ino} ${stats.size} ${stats.mtimeMs}`
    if (before?.stamp === stamp) return before.file
    const bytes = Uint8Array.from(readFileSync(file))
    const found = { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
    if (kept.size >= mostKept) kept.delete(kept.keys().next().value!)
    kept.set(path, { stamp, file: found })
    return found
  }

  return {
    read,
    changed(path, etag, ms, reader) {
      return new Promise((resolve) => {
        const end = (found?: PolicyFile) => {
          waiters.delete(look)
          clearTimeout(patience)
          reader.off('close', leave)
          resolve(found)
        }
        const leave = () => end()
        const look = () => {
          const found = read(path)
          if (found && found.etag !== etag) end(found)
        }
        const patience = setTimeout(leave, ms)
        waiters.add(look)
        // Not by the signal of the request, which is made for whoever wants it, and takes more memory than all the rest.
        reader.on('close', leave)
        look()
      })
    },
    get waiting() {
      return waiters.size
    },
    published() {
      const version = directory === undefined ? undefined : listIn((path) => read(path)?.bytes)
      const stats = version && statSync(join(directory!, `${version}.targets.json`), { throwIfNoEntry: false })
      return stats ? { version: version!, since: stats.mtimeMs } : undefined
    },
    sources: () => sourcesIn((path) => read(path)?.bytes),
    inForce: (group) => inForceIn((path) => read(path)?.bytes, group),
    drafts: () => (directory === undefined ? [] : draftsIn(dirname(directory))),
    close() {
      watcher?.close()
      clearInterval(poll)
      clearInterval(renewal)
    },
  }
}

/** Its version or its digest is in its name: what it holds is never another. */
const isLasting = (path: string): boolean => /(?:^|\/)(?:\d+\.\w+\.json|[0-9a-f]{64}\.[^/]+)$/.test(path)

/** Plain names all the way, none of them hidden. */
const isPlain = (path: string): boolean => /^[\w@+-][\w.@+-]*(?:\/[\w@+-][\w.@+-]*)*$/.test(path)

/** Where the system does not tell, the poll does. */
function watching(directory: string, changed: () => void): FSWatcher | undefined {
  try {
    return watch(directory, { persistent: false }, changed).on('error', () => {})
  } catch {
    return undefined
  }
}

function renew(directory: string, key: string, log: (line: string) => void): NodeJS.Timeout {
  let said: string | undefined
  const due = async () => {
    const trouble = await freshenPolicy(directory, key).then(
      () => undefined,
      (error: Error) => error.message,
    )
    if (trouble !== undefined && trouble !== said) log(`policy: its freshness is not renewed: ${trouble}`)
    said = trouble
  }
  void due()
  const timer = setInterval(() => void due(), renewMs)
  timer.unref()
  return timer
}

type BytesOf = (path: string) => Uint8Array | undefined

const json = (bytesOf: BytesOf, path: string) => JSON.parse(new TextDecoder().decode(bytesOf(path))) as Metadata

/** The version of the newest list of files; undefined: nothing is published yet, or only a part of it. */
function listIn(bytesOf: BytesOf): number | undefined {
  try {
    const { version: snapshot } = json(bytesOf, 'timestamp.json').signed.meta!['snapshot.json']!
    return json(bytesOf, `${snapshot}.snapshot.json`).signed.meta!['targets.json']!.version
  } catch {
    return undefined
  }
}

/** From the newest list of files to the policy of this group, or of those that have none of their own. */
function inForceIn(bytesOf: BytesOf, group: string): InForce | undefined {
  const list = listIn(bytesOf)
  if (list === undefined) return undefined
  try {
    const { targets = {} } = json(bytesOf, `${list}.targets.json`).signed
    const own = [group, 'default'].find((name) => targets[`${name}/${policyName}`])
    const { hashes, custom } = targets[`${own}/${policyName}`]!
    const text = new TextDecoder().decode(bytesOf(`targets/${own}/${hashes.sha256}.${policyName}`)!)
    return { text, mode: custom?.hookline?.mode === 'shadow' ? 'shadow' : 'enforce' }
  } catch {
    return undefined
  }
}

function sourcesIn(bytesOf: BytesOf): { group: string; files: Map<string, Uint8Array> }[] {
  const list = listIn(bytesOf)
  if (list === undefined) return []
  const found = new Map<string, Map<string, Uint8Array>>()
  for (const [path, { hashes }] of Object.entries(json(bytesOf, `${list}.targets.json`).signed.targets ?? {})) {
    const [group, ...below] = path.split('/')
    const name = [...below.slice(0, -1), `${hashes.sha256}.${below.at(-1)}`].join('/')
    const bytes = bytesOf(`targets/${group}/${name}`)
    if (bytes) found.set(group!, (found.get(group!) ?? new Map()).set(below.join('/'), bytes))
  }
  return [...found].map(([group, files]) => ({ group, files }))
}

interface Metadata {
  signed: {
    meta?: Record<string, { version: number }>
    targets?: Record<string, { hashes: { sha256: string }; custom?: { hookline?: { mode?: string } } }>
  }
}

const policyName = 'hookline.yaml'

function draftsIn(directory: string): Draft[] {
  if (!statSync(join(directory, 'fleet.yaml'), { throwIfNoEntry: false })) return []
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const file = join(directory, entry.name, policyName)
    return entry.isDirectory() && existsSync(file)
      ? [{ group: entry.name, file, text: readFileSync(file, 'utf8') }]
      : []
  })
}

/** The directory that `hookline policy init` made, or its `repository`: both are meant. */
export function repositoryAt(given: string): string {
  const inside = join(given, 'repository')
  return statSync(inside, { throwIfNoEntry: false })?.isDirectory() ? inside : given
}
