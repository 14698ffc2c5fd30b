import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { canonicalize } from '@tufjs/canonical-json'
import { Metadata, MetadataKind, type Root, type TargetFile } from '@tufjs/models'
import { HooklineError } from '../core/index.ts'
import { type Current, filesOf, generationsIn, policyName, refusal } from './current.ts'
import { fleetFiles } from './place.ts'

/** A generation of which every byte is what its keys have signed. */
export interface Verified {
  /** Absolute path → SHA-256, of every file that this machine's policy is made of. */
  files: ReadonlyMap<string, string>
  /** Which policy it is: it counts up with each one that is signed. */
  version: number
  mode: 'enforce' | 'shadow'
  onStale: 'keep' | 'block'
  /** When it is stale, in milliseconds: the first of its metadata to expire. */
  expires: number
  /** Every file that it rests on. */
  rests: readonly string[]
}

/** What a machine keeps of a generation beside its files. */
export const metadataNames = ['timestamp', 'snapshot', 'targets'] as const
/** How often the keys of the root can have changed since a machine enrolled. */
const mostRoots = 1_000

/**
 * Verifies a generation from the root on, as if it had just come from the network; only that it is fresh is not asked of
 * it, but told. What a client of TUF checks when it fetches is checked by tuf-js (update.ts); this is the same chain for
 * what lies on the disk, and it is stricter: metadata has one spelling, so that no byte can differ.
 */
export function verifyGeneration({ directory, generation, group }: Current): Verified {
  const rests: string[] = []
  const place = join(generationsIn(directory), generation)
  const read = (file: string): Buffer => {
    try {
      rests.push(file)
      return readFileSync(file)
    } catch (error) {
      throw new HooklineError(refusal(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`))
    }
  }
  const open = <K extends MetadataKind>(kind: K, file: string) => {
    const bytes = read(file)
    try {
      const json = JSON.parse(bytes.toString('utf8')) as { signatures?: { sig?: unknown }[] }
      const plain = json.signatures?.every(({ sig }) => typeof sig === 'string' && /^[0-9a-f]*$/.test(sig))
      if (!plain || !bytes.equals(Buffer.from(canonicalize(json as never)))) throw new Error('it is spelt otherwise')
      return { bytes, metadata: Metadata.fromJSON(kind as MetadataKind.Root, json as never) }
    } catch (error) {
      throw new HooklineError(refusal(`${file} is not as it was signed: ${(error as Error).message}`))
    }
  }
  const must = (file: string, check: () => void): void => {
    try {
      check()
    } catch (error) {
      throw new HooklineError(refusal(`${file}: ${(error as Error).message}`))
    }
  }

  const anchor = join(directory, fleetFiles.root)
  let root: Metadata<Root> = open(MetadataKind.Root, anchor).metadata
  must(anchor, () => root.verifyDelegate(MetadataKind.Root, root))
  const roots = newerRoots(place, root.signed.version)
  for (const file of roots) {
    const next = open(MetadataKind.Root, file).metadata
    must(file, () => {
      root.verifyDelegate(MetadataKind.Root, next)
      next.verifyDelegate(MetadataKind.Root, next)
      if (next.signed.version !== root.signed.version + 1) throw new Error('it does not follow the one before')
    })
    root = next
  }
  const [timestamp, snapshot, targets] = metadataNames.map((name) => {
    const file = join(place, `${name}.json`)
    const opened = open(name as MetadataKind, file)
    must(file, () => root.verifyDelegate(name, opened.metadata))
    return { file, ...opened }
  }) as [Opened, Opened, Opened]
  const signed = {
    timestamp: timestamp.metadata.signed as unknown as import('@tufjs/models').Timestamp,
    snapshot: snapshot.metadata.signed as unknown as import('@tufjs/models').Snapshot,
    targets: targets.metadata.signed as unknown as import('@tufjs/models').Targets,
  }
  const named = signed.snapshot.meta['targets.json']
  must(snapshot.file, () => {
    signed.timestamp.snapshotMeta.verify(snapshot.bytes)
    if (signed.snapshot.version !== signed.timestamp.snapshotMeta.version) throw new Error('it is of another time')
  })
  must(targets.file, () => {
    if (!named) throw new Error('it is not in the snapshot')
    named.verify(targets.bytes)
    if (signed.targets.version !== named.version) throw new Error('it is of another time')
  })

  const files = new Map<string, string>()
  for (const [path, target] of Object.entries(signed.targets.targets)) {
    if (!path.startsWith(`${group}/`)) continue
    const file = join(filesOf({ directory, generation }), ...safely(path))
    const bytes = read(file)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    if (bytes.length !== target.length || sha256 !== target.hashes['sha256'])
      throw new HooklineError(refusal(`${file} is not what was signed`))
    files.set(file, sha256)
  }
  const policy = signed.targets.targets[`${group}/${policyName}`]
  if (!policy) throw new HooklineError(refusal(`it has no policy for the group ${group}`))
  const all = [root.signed, signed.timestamp, signed.snapshot, signed.targets]
  return {
    ...{ files, rests, version: signed.targets.version, ...settingsOf(policy) },
    expires: Math.min(...all.map(({ expires }) => Date.parse(expires))),
  }
}

type Opened = { file: string; bytes: Buffer; metadata: Metadata<Root> }

/** What is decided beside the rules is signed with them. What this version does not know is the stricter of what it knows. */
function settingsOf({ custom }: TargetFile): Pick<Verified, 'mode' | 'onStale'> {
  const { mode, on_stale } = (custom['hookline'] ?? {}) as { mode?: unknown; on_stale?: unknown }
  return {
    mode: mode === 'shadow' ? 'shadow' : 'enforce',
    onStale: on_stale === undefined || on_stale === 'keep' ? 'keep' : 'block',
  }
}

/** Those that came after the root of the machine, in their order; a gap ends them. */
function newerRoots(place: string, from: number): string[] {
  const found: string[] = []
  for (let version = from + 1; version <= from + mostRoots; version++) {
    const file = join(place, `${version}.root.json`)
    if (!isFile(file)) break
    found.push(file)
  }
  return found
}

function isFile(file: string): boolean {
  try {
    readFileSync(file)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

/** No target leads out of its directory: plain names all the way, none of them hidden. */
export function safely(path: string): string[] {
  const parts = path.split('/')
  if (parts.every((part) => /^[A-Za-z0-9_@+-][A-Za-z0-9_.@+-]{0,99}$/.test(part)) && parts.length <= 10) return parts
  throw new HooklineError(refusal(`it names a file \`${path.slice(0, 100)}\`, which no policy may`))
}
