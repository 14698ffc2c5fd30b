import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { canonicalize } from '@tufjs/canonical-json'
import { Metadata, type MetadataKind } from '@tufjs/models'
import { HooklineError, note } from '../../core/index.ts'
import { writeWhole } from '../place.ts'
import type { PublicKey, Signer } from './keys.ts'

/** The four kinds of metadata of TUF. */
export type Kind = 'root' | 'targets' | 'snapshot' | 'timestamp'

export interface RoleEntry {
  keyids: string[]
  threshold: number
}
export interface Signed {
  _type: Kind
  spec_version: string
  version: number
  expires: string
}
export interface RootSigned extends Signed {
  consistent_snapshot: true
  keys: Record<string, PublicKey>
  roles: Record<Kind, RoleEntry>
}
export interface TargetEntry {
  length: number
  hashes: { sha256: string }
  custom?: Record<string, unknown>
}
export interface TargetsSigned extends Signed {
  targets: Record<string, TargetEntry>
}
interface MetaEntry {
  version: number
  length: number
  hashes: { sha256: string }
}
export interface ListSigned extends Signed {
  meta: Record<string, MetaEntry>
}
export interface Envelope<S extends Signed = Signed> {
  signatures: { keyid: string; sig: string }[]
  signed: S
}

const specVersion = '1.0.31'
export const dayMs = 24 * 3_600_000

/** Where the parts of a policy lie in the directory of whoever writes it. */
export const partsOf = (directory: string) => ({
  settings: join(directory, 'fleet.yaml'),
  keys: join(directory, 'keys'),
  /** Signed, and waiting for more signatures or for being published. */
  staged: join(directory, 'staged'),
  /** What machines fetch: plain files. */
  public: join(directory, 'repository'),
})

export const wrong = (detail: string, fix: string): HooklineError =>
  new HooklineError(note('policy-wrong', { detail, fix }))

/** Metadata has one spelling: machines refuse any other. */
export const bytesOf = (envelope: Envelope): Buffer => Buffer.from(canonicalize(envelope as never))

export const describe = (bytes: Uint8Array): { length: number; hashes: { sha256: string } } => ({
  length: bytes.length,
  hashes: { sha256: createHash('sha256').update(bytes).digest('hex') },
})

export const isoAfter = (days: number, now = Date.now()): string =>
  new Date(now + days * dayMs).toISOString().replace(/\.\d+Z$/, 'Z')

export const common = (_type: Kind, version: number, days: number) => ({
  ...{ _type, spec_version: specVersion, version, expires: isoAfter(days) },
})

export function read<S extends Signed>(file: string): Envelope<S> | undefined {
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Envelope<S>
  } catch {
    throw wrong(`${file} is not what was written there.`, 'Restore it from a copy of the repository.')
  }
}

export function write(file: string, content: Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true })
  writeWhole(file, content, 0o644)
}

/** The newest version of numbered metadata, such as `7.root.json`. */
export function newest<S extends Signed>(directory: string, kind: Kind): Envelope<S> | undefined {
  if (!existsSync(directory)) return undefined
  const versions = readdirSync(directory).flatMap((name) => {
    const [, version, of] = /^(\d+)\.(\w+)\.json$/.exec(name) ?? []
    return of === kind ? [Number(version)] : []
  })
  return versions.length === 0 ? undefined : read<S>(join(directory, `${Math.max(...versions)}.${kind}.json`))
}

export function mustHaveRoot(directory: string): Envelope<RootSigned> {
  const root = newest<RootSigned>(partsOf(directory).public, 'root')
  if (!root) throw wrong(`There is no policy in ${directory}.`, 'Make one: `hookline policy init --dir <directory>`.')
  return root
}

/** The same with signatures of these, each once, of those that the role names. */
export function signedBy<S extends Signed>(
  envelope: Envelope<S>,
  role: RoleEntry,
  signers: readonly Signer[],
): Envelope<S> {
  const bytes = Buffer.from(canonicalize(envelope.signed as never))
  const own = signers.filter(({ id }) => role.keyids.includes(id))
  const once = [...new Map(own.map((signer) => [signer.id, signer])).values()]
  const fresh = once.map(({ id, sign }) => ({ keyid: id, sig: sign(bytes) }))
  const kept = envelope.signatures.filter(({ keyid }) => !fresh.some((each) => each.keyid === keyid))
  return { signed: envelope.signed, signatures: [...kept, ...fresh] }
}

/** Whether as many of those that the root names have signed it as it wants; undefined: they have. Else, what is missing. */
export function unsigned(root: Envelope<RootSigned>, envelope: Envelope): string | undefined {
  const kind = envelope.signed._type
  try {
    metadataOf(root).verifyDelegate(kind, metadataOf(envelope))
    return undefined
  } catch (error) {
    const { message } = error as Error
    const [, there, wanted] = /was signed by (\d+)\/(\d+) keys/.exec(message) ?? []
    return there === undefined ? message : `it has ${there} of ${wanted} signatures`
  }
}

const metadataOf = (envelope: Envelope) =>
  Metadata.fromJSON(envelope.signed._type as MetadataKind.Root, structuredClone(envelope) as never)

export const forgetStaged = (directory: string, kind: Kind): void =>
  rmSync(join(partsOf(directory).staged, `${kind}.json`), { force: true })
