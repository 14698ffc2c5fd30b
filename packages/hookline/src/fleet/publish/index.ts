export { freshen, freshnessIn, mustRenew } from './freshen.ts'
export { idOfKey, makeKey, openKey, type Signer } from './keys.ts'
export { type Keys, makeRoot, publish, type Role, rolesOf, rotate, type Staged, sign, waitingIn } from './publish.ts'
export {
  dayMs,
  type ListSigned,
  mustHaveRoot,
  newest,
  partsOf,
  type RootSigned,
  read as readMetadata,
  type TargetsSigned,
  wrong,
} from './repository.ts'
export { type FleetSettings, groupsIn } from './targets.ts'
