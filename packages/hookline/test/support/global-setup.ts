import { build } from '../../../../scripts/setup.mjs'

/**
 * Worker threads and helper processes run built files, and the command line is a built file: build once, before any test.
 * Declarations take nine tenths of that time, and only tests that check programs of users read them: where none of these runs, none are made.
 */
export default function setup() {
  // Each project of the config sets up for itself, in the same process.
  const once = process as typeof process & { hooklineIsBuilt?: true }
  if (process.env['HOOKLINE_SKIP_BUILD'] || once.hooklineIsBuilt) return
  once.hooklineIsBuilt = true
  const parts = process.argv.slice(2).filter((word) => word.includes('test/'))
  const declarations = parts.length === 0 || parts.some((part) => /packed|docs|guides|examples|extend/.test(part))
  if (build({ declarations }) !== 0) throw new Error('The build failed; it says why above.')
}
