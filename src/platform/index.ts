export { makeDirectory } from './directory.ts'
export { type FileLock, LockedError, type LockOptions, takeFileLock, withFileLock, withFileLockSync } from './lock.ts'
export { isAlive, processStart } from './process.ts'
