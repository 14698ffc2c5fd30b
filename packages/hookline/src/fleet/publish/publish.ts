import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { canonicalize } from '@tufjs/canonical-json'
import { hasOnline, makeFresh, mustBeOnline, oneAtATime } from './freshen.ts'
import type { Signer } from './keys.ts'
import {
  bytesOf,
  common,
  dayMs,
  describe,
  type Envelope,
  forgetStaged,
  type Kind,
  mustHaveRoot,
  newest,
  partsOf,
  type RootSigned,
  read,
  type Signed,
  signedBy,
  type TargetsSigned,
  unsigned,
  write,
  wrong,
} from './repository.ts'
import { type FleetSettings, targetsIn } from './targets.ts'

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
  write(rootFile(place, root), bytesOf(root))
  // For machines that enrol, which know none.
  write(join(place, 'root.json'), bytesOf(root))
}

const rootFile = (place: string, { signed }: Envelope<RootSigned>): string => join(place, `${signed.version}.root.json`)

/** Who signs what, in the words of whoever writes a policy. */
const kindOf = { root: 'root', policy: 'targets', online: 'timestamp' } as const
export type Role = keyof typeof kindOf

/** The keys that count for these roles once what waits is published, and those that count until then. */
export function rolesOf(directory: string, roles: readonly Role[]): Record<'now' | 'before', Set<string>> {
  const root = mustHaveRoot(directory)
  const next = staged<RootSigned>(directory, 'root') ?? root
  const of = ({ signed }: Envelope<RootSigned>, role: Role) => signed.roles[kindOf[role]].keyids
  // A new root is signed by the keys of before as well.
  const now = roles.flatMap((role) => [...of(next, role), ...(role === 'root' ? of(root, role) : [])])
  return { now: new Set(now), before: new Set(roles.flatMap((role) => of(root, role))) }
}

/** What there is to sign, and whether enough have signed it. */
export interface Staged {
  kind: 'root' | 'targets'
  version: number
  /** Undefined: it can be published. */
  missing: string | undefined
}

/** What waits for signatures, or for being published. */
export function waitingIn(directory: string): Staged[] {
  const root = mustHaveRoot(directory)
  const nextRoot = staged<RootSigned>(directory, 'root')
  const targets = staged<TargetsSigned>(directory, 'targets')
  return [
    ...(nextRoot ? [waitingRoot(root, nextRoot)] : []),
    ...(targets ? [waitingTargets(nextRoot ?? root, targets)] : []),
  ]
}

const waitingRoot = (root: Envelope<RootSigned>, next: Envelope<RootSigned>): Staged => ({
  ...{ kind: 'root', version: next.signed.version, missing: unsigned(root, next) ?? unsigned(next, next) },
})
const waitingTargets = (root: Envelope<RootSigned>, targets: Envelope<TargetsSigned>): Staged => ({
  ...{ kind: 'targets', version: targets.signed.version, missing: unsigned(root, targets) },
})

/**
 * Signs the policy as it lies in the directory, where it is another than the published one, and whatever else waits for
 * signatures. Each signer signs what the root lets them sign.
 */
export function sign(directory: string, settings: FleetSettings, signers: readonly Signer[]): Staged[] {
  const root = mustHaveRoot(directory)
  const result: Staged[] = []
  const nextRoot = staged<RootSigned>(directory, 'root') ?? renewed(root, settings, signers)
  if (nextRoot) {
    // Those of before and those of after.
    const roles = [root.signed.roles.root, nextRoot.signed.roles.root]
    const signed = roles.reduce((envelope, role) => signedBy(envelope, role, signers), nextRoot)
    stage(directory, signed)
    result.push(waitingRoot(root, signed))
  }
  const before = newest<TargetsSigned>(partsOf(directory).public, 'targets')
  const targets = targetsIn(directory, settings)
  const waiting = staged<TargetsSigned>(directory, 'targets')
  // Those of before as well: so it holds under either root while both are being published.
  const roles = [root, nextRoot ?? root].map(({ signed }) => signed.roles.targets)
  const isNew =
    !isSame(before, targets) ||
    (before && unsigned(nextRoot ?? root, before) !== undefined) ||
    isOld(before, settings.expires.policy)
  if (isNew || waiting) {
    const fresh: TargetsSigned = {
      ...common('targets', (before?.signed.version ?? 0) + 1, settings.expires.policy),
      targets,
    }
    const draft = waiting && isSame(waiting, targets) ? waiting : { signed: fresh, signatures: [] }
    const signed = roles.reduce((envelope, role) => signedBy(envelope, role, signers), draft)
    stage(directory, signed)
    result.push(waitingTargets(nextRoot ?? root, signed))
  }
  return result
}

/** Half of its time is over: it is signed again, though nothing changed. */
const isOld = (before: Envelope | undefined, days: number): boolean =>
  before !== undefined && Date.parse(before.signed.expires) - Date.now() < (days / 2) * dayMs

/** The same root for longer, where enough of its keys are at hand: one that waits for others would hold up whatever is published. */
function renewed(
  root: Envelope<RootSigned>,
  { expires }: FleetSettings,
  signers: readonly Signer[],
): Envelope<RootSigned> | undefined {
  const { keyids, threshold } = root.signed.roles.root
  const own = new Set(signers.map(({ id }) => id).filter((id) => keyids.includes(id)))
  if (!isOld(root, expires.root) || own.size < threshold) return undefined
  return {
    signatures: [],
    signed: { ...root.signed, ...common('root', root.signed.version + 1, expires.root) } as RootSigned,
  }
}

const isSame = (envelope: Envelope<TargetsSigned> | undefined, targets: TargetsSigned['targets']): boolean =>
  envelope !== undefined && JSON.stringify(sorted(envelope.signed.targets)) === JSON.stringify(sorted(targets))

const sorted = (targets: TargetsSigned['targets']) =>
  Object.entries(targets)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, { length, hashes, custom }]) => [path, length, hashes.sha256, canonicalize((custom ?? {}) as never)])

/**
 * Puts what is signed where machines fetch it, the file that names all others last. Gives back what is published now.
 * Whoever is killed in the middle leaves what was published before, or all of this: under a new root, what it names is
 * signed by the keys of before as well, where these are at hand, and is there before it.
 */
export function publish(directory: string, settings: FleetSettings, online: readonly Signer[]): Versions {
  mustHaveRoot(directory)
  return oneAtATime(partsOf(directory).public, () => publishAlone(directory, settings, online))
}

interface Versions {
  policy: number
  root: number
}

function publishAlone(directory: string, settings: FleetSettings, online: readonly Signer[]): Versions {
  const { public: place } = partsOf(directory)
  const { freshness } = settings.expires
  const oldRoot = mustHaveRoot(directory)
  const nextRoot = staged<RootSigned>(directory, 'root')
  if (nextRoot) {
    const missing = unsigned(oldRoot, nextRoot) ?? unsigned(nextRoot, nextRoot)
    if (missing !== undefined) throw unfinished('The new root', missing)
  }
  const root = nextRoot ?? oldRoot
  const targets = staged<TargetsSigned>(directory, 'targets') ?? newest<TargetsSigned>(place, 'targets')
  if (!targets) throw wrong('Nothing is signed yet.', 'Sign the policy first: `hookline policy sign`.')
  if (!isSame(targets, targetsIn(directory, settings)))
    throw wrong(
      `The policy in ${directory} is another than the one that was signed.`,
      'Sign it first: `hookline policy sign`.',
    )
  const missing = unsigned(root, targets)
  if (missing !== undefined) throw unfinished('The policy', missing, lostPolicyKey)
  mustBeOnline(root, online)

  for (const [path, entry] of Object.entries(targets.signed.targets)) putTarget(directory, path, entry.hashes.sha256)
  write(join(place, `${targets.signed.version}.targets.json`), bytesOf(targets))
  const holdsBefore = unsigned(oldRoot, targets) === undefined && hasOnline(oldRoot, online)
  if (nextRoot && holdsBefore) makeFresh(place, online, freshness, { roots: [oldRoot, nextRoot] })
  makeFresh(place, online, freshness, {
    roots: [root],
    ...(nextRoot && { before: () => write(rootFile(place, nextRoot), bytesOf(nextRoot)) }),
  })
  if (nextRoot) putRoot(directory, nextRoot)
  forgetStaged(directory, 'targets')
  forgetStaged(directory, 'root')
  return { policy: targets.signed.version, root: root.signed.version }
}

const unfinished = (what: string, missing: string, lost = '') =>
  wrong(
    `${what} is not signed by as many as must: ${missing}.`,
    `Let others sign it: \`hookline policy sign --key <file>\`.${lost}`,
  )
const lostPolicyKey = ' If a key is lost, the root key replaces it: `hookline policy rotate policy`.'

/** Under the name of its content: what is fetched half can be told, and a cache in between never holds an old one. */
function putTarget(directory: string, path: string, sha256: string): void {
  const file = join(partsOf(directory).public, 'targets', dirname(path), `${sha256}.${basename(path)}`)
  if (existsSync(file)) return
  const bytes = readFileSync(join(directory, path))
  if (describe(bytes).hashes.sha256 !== sha256)
    throw wrong(`${path} is another than the one that was signed.`, 'Sign it again: `hookline policy sign`.')
  write(file, bytes)
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
