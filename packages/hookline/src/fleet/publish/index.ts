export { makeKey, openKey, type Signer } from './keys.ts'
export { freshen, type Keys, makeRoot, publish, rotate, type Staged, sign } from './publish.ts'
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
