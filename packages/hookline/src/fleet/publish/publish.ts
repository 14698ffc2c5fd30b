import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Signer } from './keys.ts'
import {
  bytesOf,
  describe,
  type Envelope,
  forgetStaged,
  isoAfter,
  type Kind,
  type ListSigned,
  mustHaveRoot,
  newest,
  partsOf,
  type RootSigned,
  read,
  type Signed,
  signedBy,
  specVersion,
  type TargetsSigned,
  unsigned,
  write,
  wrong,
} from './repository.ts'
import { type FleetSettings, targetsIn } from './targets.ts'

const common = (_type: Kind, version: number, days: number) => ({
  ...{ _type, spec_version: specVersion, version, expires: isoAfter(days) },
})
const staged = <S extends Signed>(directory: string, kind: Kind) =>
  read<S>(join(partsOf(directory).staged, `${kind}.json`))
const stage = (directory: string, envelope: Envelope) =>
  write(join(partsOf(directory).staged, `${envelope.signed._type}.json`), bytesOf(envelope))

/** Who may sign what, and how many of them must. */
export interface Keys {
  root: { signers: readonly Signer[]; threshold: number }
  policy: { signers: readonly Signer[]; threshold: number }
  online: Signer
}

/** The first root. It is published at once: nothing else can be verified without it. */
export function makeRoot(directory: string, { root, policy, online }: Keys, { expires }: FleetSettings): void {
  const all = [...root.signers, ...policy.signers, online]
  const role = ({ signers, threshold }: Keys['root']) => ({ keyids: signers.map(({ id }) => id), threshold })
  const fresh = { keyids: [online.id], threshold: 1 }
  const signed: RootSigned = {
    ...common('root', 1, expires.root),
    consistent_snapshot: true,
    keys: Object.fromEntries(all.map(({ id, key }) => [id, key])),
    roles: { root: role(root), targets: role(policy), snapshot: fresh, timestamp: fresh },
  }
  mkdirSync(partsOf(directory).public, { recursive: true })
  putRoot(directory, signedBy({ signed, signatures: [] }, signed.roles.root, root.signers))
}

function putRoot(directory: string, root: Envelope<RootSigned>): void {
  const place = partsOf(directory).public
  write(join(place, `${root.signed.version}.root.json`), bytesOf(root))
  // For machines that enrol, which know none.
  write(join(place, 'root.json'), bytesOf(root))
}

/** What there is to sign, and whether enough have signed it. */
export interface Staged {
  kind: 'root' | 'targets'
  version: number
  /** Undefined: it can be published. */
  missing: string | undefined
}

/**
 * Signs the policy as it lies in the directory, where it is another than the published one, and whatever else waits for
 * signatures. Each signer signs what the root lets them sign.
 */
export function sign(directory: string, settings: FleetSettings, signers: readonly Signer[]): Staged[] {
  const root = mustHaveRoot(directory)
  const result: Staged[] = []
  const nextRoot = staged<RootSigned>(directory, 'root')
  if (nextRoot) {
    // Those of before and those of after.
    const roles = [root.signed.roles.root, nextRoot.signed.roles.root]
    const signed = roles.reduce((envelope, role) => signedBy(envelope, role, signers), nextRoot)
    stage(directory, signed)
    result.push({
      kind: 'root',
      version: signed.signed.version,
      missing: unsigned(root, signed) ?? unsigned(signed, signed),
    })
  }
  const before = newest<TargetsSigned>(partsOf(directory).public, 'targets')
  const targets = targetsIn(directory, settings)
  const waiting = staged<TargetsSigned>(directory, 'targets')
  const same = (envelope: Envelope<TargetsSigned> | undefined) =>
    envelope !== undefined && JSON.stringify(sorted(envelope.signed.targets)) === JSON.stringify(sorted(targets))
  const role = (nextRoot ?? root).signed.roles.targets
  const isNew = !same(before) || (before && unsigned(nextRoot ?? root, before) !== undefined) || isOld(before, settings)
  if (isNew || waiting) {
    const fresh: TargetsSigned = {
      ...common('targets', (before?.signed.version ?? 0) + 1, settings.expires.policy),
      targets,
    }
    const draft = waiting && same(waiting) ? waiting : { signed: fresh, signatures: [] }
    const signed = signedBy(draft, role, signers)
    stage(directory, signed)
    result.push({ kind: 'targets', version: signed.signed.version, missing: unsigned(nextRoot ?? root, signed) })
  }
  return result
}

/** Half of its time is over: it is signed again, though nothing changed. */
const isOld = (before: Envelope<TargetsSigned> | undefined, { expires }: FleetSettings): boolean =>
  before !== undefined && Date.parse(before.signed.expires) - Date.now() < (expires.policy / 2) * 24 * 3_600_000

const sorted = (targets: TargetsSigned['targets']) =>
  Object.entries(targets)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, { length, hashes, custom }]) => [path, length, hashes.sha256, JSON.stringify(custom ?? {})])

/** Puts what is signed where machines fetch it, the file that names all others last. Gives back what is published now. */
export function publish(directory: string, settings: FleetSettings, online: Signer): { policy: number; root: number } {
  const { public: place } = partsOf(directory)
  let root = mustHaveRoot(directory)
  const nextRoot = staged<RootSigned>(directory, 'root')
  if (nextRoot) {
    const missing = unsigned(root, nextRoot) ?? unsigned(nextRoot, nextRoot)
    if (missing !== undefined) throw unfinished('The new root', missing)
    root = nextRoot
  }
  const targets = staged<TargetsSigned>(directory, 'targets') ?? newest<TargetsSigned>(place, 'targets')
  if (!targets) throw wrong('Nothing is signed yet.', 'Sign the policy first: `hookline policy sign`.')
  const missing = unsigned(root, targets)
  if (missing !== undefined) throw unfinished('The policy', missing)
  if (!root.signed.roles.timestamp.keyids.includes(online.id))
    throw wrong(
      'This is not the online key that the root names.',
      'Name the right one with `--key <file>`, or rotate: `hookline policy rotate online`.',
    )
  for (const [path, entry] of Object.entries(targets.signed.targets)) putTarget(directory, path, entry.hashes.sha256)
  if (nextRoot) putRoot(directory, nextRoot)
  write(join(place, `${targets.signed.version}.targets.json`), bytesOf(targets))
  forgetStaged(directory, 'targets')
  forgetStaged(directory, 'root')
  freshen(place, online, settings.expires.freshness, true)
  return { policy: targets.signed.version, root: root.signed.version }
}

const unfinished = (what: string, missing: string) =>
  wrong(
    `${what} is not signed by as many as must: ${missing}.`,
    'Let others sign it: `hookline policy sign --key <file>`.',
  )

/** Under the name of its content: what is fetched half can be told, and a cache in between never holds an old one. */
function putTarget(directory: string, path: string, sha256: string): void {
  const file = join(partsOf(directory).public, 'targets', dirname(path), `${sha256}.${basename(path)}`)
  if (existsSync(file)) return
  const bytes = readFileSync(join(directory, path))
  if (describe(bytes).hashes.sha256 !== sha256)
    throw wrong(`${path} is another than the one that was signed.`, 'Sign it again: `hookline policy sign`.')
  write(file, bytes)
}

/** A new timestamp, by the online key alone, and a new snapshot where there is something new. A server with that key does it by itself. */
export function freshen(place: string, online: Signer, days: number, whole = false): void {
  const targets = newest<TargetsSigned>(place, 'targets')
  if (!targets) throw wrong(`Nothing is published in ${place}.`, 'Publish a policy first: `hookline policy publish`.')
  const before = newest<ListSigned>(place, 'snapshot')
  const isEnough = !whole && before && Date.parse(before.signed.expires) > Date.parse(isoAfter(days))
  const seal = (signed: ListSigned) =>
    signedBy({ signed, signatures: [] }, { keyids: [online.id], threshold: 1 }, [online])
  const snapshot = isEnough
    ? before
    : seal({
        ...common('snapshot', (before?.signed.version ?? 0) + 1, days * 4),
        meta: { 'targets.json': { version: targets.signed.version, ...describe(bytesOf(targets)) } },
      })
  if (!isEnough) write(join(place, `${snapshot.signed.version}.snapshot.json`), bytesOf(snapshot))
  const last = read<ListSigned>(join(place, 'timestamp.json'))
  const timestamp = seal({
    ...common('timestamp', (last?.signed.version ?? 0) + 1, days),
    meta: { 'snapshot.json': { version: snapshot.signed.version, ...describe(bytesOf(snapshot)) } },
  })
  write(join(place, 'timestamp.json'), bytesOf(timestamp))
}

/** Replaces the keys of a role, or makes a root that expires later. It counts once it is signed and published. */
export function rotate(
  directory: string,
  settings: FleetSettings,
  role: 'root' | 'policy' | 'online',
  keys: readonly Signer[],
  threshold: number,
): void {
  const { signed } = staged<RootSigned>(directory, 'root') ?? mustHaveRoot(directory)
  const next = mustHaveRoot(directory).signed.version + 1
  const entry = { keyids: keys.map(({ id }) => id), threshold }
  const replaced: Partial<RootSigned['roles']> =
    role === 'online' ? { snapshot: entry, timestamp: entry } : role === 'root' ? { root: entry } : { targets: entry }
  const roles = { ...signed.roles, ...replaced }
  const known = { ...signed.keys, ...Object.fromEntries(keys.map(({ id, key }) => [id, key])) }
  const used = new Set(Object.values(roles).flatMap(({ keyids }) => keyids))
  stage(directory, {
    signatures: [],
    signed: {
      ...signed,
      ...common('root', next, settings.expires.root),
      roles,
      keys: Object.fromEntries(Object.entries(known).filter(([id]) => used.has(id))),
    } as RootSigned,
  })
}
