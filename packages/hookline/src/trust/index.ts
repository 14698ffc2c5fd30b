export type { Approval, ApprovedBy } from './approvals.ts'
export { type Approvable, canonicalJson, digestOf, isDigest, type Subject, subjectOf } from './digest.ts'
export { isInside } from './files.ts'
export { isCalled } from './names.ts'
export { pinnedBy } from './pinned.ts'
export type { Pinned, Place } from './pins.ts'
export { openSwitch, type Switch } from './switch.ts'
export { isToken, makeToken } from './token.ts'
export {
  type Approver,
  type Inspection,
  openTrust,
  placeOf,
  runOf,
  type TrustOptions,
  type TrustState,
} from './trust.ts'
