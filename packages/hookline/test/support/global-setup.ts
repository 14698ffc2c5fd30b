import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from '../../../../scripts/setup.mjs'
import { remove } from './remove.ts'

/** Once for the whole run: each project of the config sets up for itself, in the same process. */
export default function setup() {
  const run = process as typeof process & { hooklineIsSetUp?: true }
  if (run.hooklineIsSetUp) return
  run.hooklineIsSetUp = true
  if (!process.env['HOOKLINE_SKIP_BUILD']) buildOnce()
  return temporaryDirectory()
}

/**
 * Worker threads and helper processes run built files, and the command line is a built file: build once, before any test.
 * Declarations take nine tenths of that time, and only tests that check programs of users read them: where none of these runs, none are made.
 */
function buildOnce() {
  const parts = process.argv.slice(2).filter((word) => word.includes('test/'))
  const declarations = parts.length === 0 || parts.some((part) => /packed|docs|guides|examples|extend/.test(part))
  if (build({ declarations }) !== 0) throw new Error('The build failed; it says why above.')
}

/**
 * Everything that tests make lies in one directory, and goes with it: workers are ended by a signal, so nothing that they would do at
 * their exit is sure to happen. The name is short, for sockets; others may enter, for a PostgreSQL that does not run as root.
 */
function temporaryDirectory() {
  const usual = process.env['TMPDIR']
  const directory = mkdtempSync(join(tmpdir(), 'hl-'))
  chmodSync(directory, 0o755)
  process.env['TMPDIR'] = directory
  return () => {
    if (usual === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = usual
    remove(directory)
  }
}
