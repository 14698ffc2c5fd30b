import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsdown'
import { remove } from './scratch.ts'

/** A program of the tests as one file for plain node: it starts so fast that a test can start many. */
export async function bundle(source: string, from: string): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), 'hookline-program-'))
  process.once('exit', () => remove(outDir))
  await build({
    config: false,
    entry: { program: fileURLToPath(new URL(source, from)) },
    outDir,
    format: 'esm',
    platform: 'node',
    dts: false,
    report: false,
    logLevel: 'silent',
    outExtensions: () => ({ js: '.mjs' }),
  })
  return join(outDir, 'program.mjs')
}
