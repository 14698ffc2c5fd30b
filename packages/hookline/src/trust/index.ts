export type { Approval, ApprovedBy } from './approvals.ts'
export { isToken, makeToken, readPrivate, userLayerKnown, writePrivate } from './approvals.ts'
export {
  type Approvable,
  canonicalJson,
  digestOf,
  isCalled,
  isDigest,
  isWorkspace,
  type PinnedFile,
  type Subject,
  subjectOf,
} from './digest.ts'
export { isInside, isRedirected, sha256Of, untrustedWriter } from './files.ts'
export { pinnedBy } from './pinned.ts'
export type { Pinned, Place, UnapprovedPart } from './pins.ts'
export { mayNeedApproval, placeOf, type TrustedExecutor } from './place.ts'
export { openSwitch, type Switch } from './switch.ts'
export {
  type Approver,
  type Inspection,
  openTrust,
  runOf,
  type TrustOptions,
  type TrustState,
} from './trust.ts'
