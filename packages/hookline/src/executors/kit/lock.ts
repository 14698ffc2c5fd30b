import { withFileLock } from '../../platform/index.ts'

/** Longer than any hook may run: what waits in vain is ended by its own time-out. */
const timeoutMs = 600_000

/** Works under a lock that other processes see too. */
export const exclusive = <T>(path: string, work: () => Promise<T>): Promise<T> =>
  withFileLock(`${path}.lock`, work, { timeoutMs })
