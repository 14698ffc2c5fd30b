import { join } from 'node:path'
import { isRecord } from '../../core/index.ts'
import { withFileLockSync } from '../../platform/index.ts'
import { policyName } from '../current.ts'
import type { Signer } from './keys.ts'
import {
  bytesOf,
  common,
  dayMs,
  describe,
  type Envelope,
  isoAfter,
  type ListSigned,
  newest,
  type RootSigned,
  read,
  signedBy,
  type TargetsSigned,
  write,
  wrong,
} from './repository.ts'

/** When more is published than what is there anew. */
export interface Published {
  /** Under each of these it shall hold. */
  roots: readonly Envelope<RootSigned>[]
  /** Done when all but the last file is there. */
  before?(): void
}

/**
 * A new timestamp, by the online key alone, and a new snapshot where there is something new. A server with that key does
 * it by itself. What another key has signed, every machine would refuse.
 */
export function freshen(place: string, online: readonly Signer[], days: number): void {
  if (!newest(place, 'root')) throw nothing(place)
  oneAtATime(place, () => makeFresh(place, online, days))
}

/** A server renews by itself: between two that write, the older list could come out on top. */
export const oneAtATime = <T>(place: string, work: () => T): T => withFileLockSync(join(place, '.lock'), work)

export function makeFresh(place: string, online: readonly Signer[], days: number, published?: Published): void {
  const targets = newest<TargetsSigned>(place, 'targets')
  if (!targets) throw nothing(place)
  const roots = published?.roots ?? [newest<RootSigned>(place, 'root')!]
  for (const each of roots) mustBeOnline(each, online)
  const before = newest<ListSigned>(place, 'snapshot')
  const isEnough = !published && before && Date.parse(before.signed.expires) > Date.parse(isoAfter(days))
  const seal = (signed: ListSigned) =>
    roots.reduce<Envelope<ListSigned>>((sealed, each) => signedBy(sealed, each.signed.roles.timestamp, online), {
      signed,
      signatures: [],
    })
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
  published?.before?.()
  write(join(place, 'timestamp.json'), bytesOf(timestamp))
}

const nothing = (place: string) =>
  wrong(`Nothing is published in ${place}.`, 'Publish a policy first: `hookline policy publish`.')

/** For how many days, as it was signed with the policy; those of before had seven. */
export function freshnessIn(place: string): number {
  const own = newest<TargetsSigned>(place, 'targets')?.signed.targets[`default/${policyName}`]?.custom?.['hookline']
  const seconds = isRecord(own) ? own['fresh_seconds'] : undefined
  return typeof seconds === 'number' && seconds > 0 ? seconds / (dayMs / 1000) : 7
}

export const hasOnline = ({ signed }: Envelope<RootSigned>, online: readonly Signer[]): boolean =>
  online.some(({ id }) => signed.roles.timestamp.keyids.includes(id))

/** Whether these could renew what is published there; throws why not. */
export function mustRenew(place: string, online: readonly Signer[]): void {
  const root = newest<RootSigned>(place, 'root')
  if (!root) throw nothing(place)
  mustBeOnline(root, online)
}

export function mustBeOnline(root: Envelope<RootSigned>, online: readonly Signer[]): void {
  if (hasOnline(root, online)) return
  throw wrong(
    'This is not the online key that the root names.',
    'Name the right one with `--key <file>` (a server with `--policy-key`), or replace it: `hookline policy rotate online`.',
  )
}
