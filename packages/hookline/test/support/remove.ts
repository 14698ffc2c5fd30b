import { rmSync } from 'node:fs'

/**
 * Removes a directory of the tests' own. What a test started may write its last line there a moment later, so this tries
 * again for a while; `maxRetries` of `rmSync` would not do, since it does not look into the directory a second time.
 */
export function remove(directory: string, tries = 50): void {
  try {
    rmSync(directory, { recursive: true, force: true })
  } catch (error) {
    if (tries === 0) throw error
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    remove(directory, tries - 1)
  }
}
