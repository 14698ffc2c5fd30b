export { type Connections, connectionsNow } from './connections.ts'
export { pipesOnly } from './descriptors.ts'
export {
  drawsWindows,
  holdersOf,
  inputTerminal,
  lineageOf,
  processAt,
  processesCalled,
  type RunningProcess,
} from './lineage.ts'
export { type FileLock, LockedError, type LockOptions, takeFileLock, withFileLock, withFileLockSync } from './lock.ts'
export { contentAt, entryAt, type Looks, listAt, recordLooks, stampIn, targetAt } from './looks.ts'
export { buildId, loadPackage, missingPackage, type OwnPackage, packageFile, version } from './packages.ts'
export {
  existingRealPath,
  isDirectory,
  isForeignOwner,
  isRootsAlone,
  makeDirectory,
  namesIn,
  realPath,
} from './paths.ts'
export {
  builtEntry,
  dataDirectory,
  homeDirectory,
  installedDataDirectory,
  installedUserDirectory,
  managedDirectory,
  ownHome,
  placeVariables,
  stateDirectory,
  userDirectory,
  userDirectoryFile,
} from './places.ts'
export * from './processes.ts'
export { findProvider, keyOf, needsServer, type Provider, providers, splitModelName } from './providers.ts'
export {
  callerDirectory,
  callerEnvironment,
  callerUmask,
  configVariable,
  inSurroundings,
  type Surroundings,
  type Variables,
} from './surroundings.ts'
