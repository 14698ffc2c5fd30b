import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A directory of the test's own with these files in it; gone when the test is. */
export function scratch(files: Readonly<Record<string, string>> = {}, encoding: BufferEncoding = 'utf8'): string {
  const directory = mkdtempSync(join(tmpdir(), 'hookline-'))
  onTestFinished(() => remove(directory))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), content, encoding)
  }
  return directory
}

/**
 * Removes a directory of the test's own. What the test started may write its last line there a moment later, so this tries
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

/** A path where nothing is, on any machine: in a directory with a name nobody else has, which is never made. */
export function missing(...parts: string[]): string {
  return join(tmpdir(), `hookline-missing-${randomUUID()}`, ...parts)
}
