export type { Approval, ApprovedBy } from './approvals.ts'
export { isToken, makeToken, readPrivate, writePrivate } from './approvals.ts'
export { type Approvable, canonicalJson, digestOf, isCalled, isDigest, type Subject, subjectOf } from './digest.ts'
export { isInside, isRedirected, untrustedWriter } from './files.ts'
export { pinnedBy } from './pinned.ts'
export type { Pinned, Place } from './pins.ts'
export { openSwitch, type Switch } from './switch.ts'
export {
  type Approver,
  type Inspection,
  openTrust,
  placeOf,
  runOf,
  type TrustOptions,
  type TrustState,
} from './trust.ts'
