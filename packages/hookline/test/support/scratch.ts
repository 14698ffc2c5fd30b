import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { remove } from './remove.ts'

export { remove }

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

/** A path where nothing is, on any machine: in a directory with a name nobody else has, which is never made. */
export function missing(...parts: string[]): string {
  return join(tmpdir(), `hookline-missing-${randomUUID()}`, ...parts)
}
