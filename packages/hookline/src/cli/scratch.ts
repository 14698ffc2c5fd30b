import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realPath } from '../platform/index.ts'

/**
 * Works with directories of its own, gone afterwards: temporary files, and what builtins remember and keep. The home
 * directory and the working directory stay: hooks find their scripts and their tools there.
 */
export async function inScratch<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = realPath(mkdtempSync(join(tmpdir(), 'hookline-dry-')))
  const ours = { TMPDIR: directory, HOOKLINE_DATA_DIR: join(directory, 'data') }
  const before = Object.keys(ours).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, ours)
  try {
    return await work(directory)
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
    rmSync(directory, { recursive: true, force: true })
  }
}
