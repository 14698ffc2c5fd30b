import { build } from '../../../../scripts/setup.mjs'

/** Worker threads and helper processes run built files, and the command line is a built file: build once, before any test. */
export default function setup() {
  if (process.env['HOOKLINE_SKIP_BUILD']) return
  if (build() !== 0) throw new Error('The build failed; it says why above.')
}
