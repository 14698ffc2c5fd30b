import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A directory of the test's own with these files in it; gone when the test is. */
export function scratch(files: Readonly<Record<string, string>> = {}, encoding: BufferEncoding = 'utf8'): string {
  const directory = mkdtempSync(join(tmpdir(), 'hookline-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), content, encoding)
  }
  return directory
}
