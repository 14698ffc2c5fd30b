import { execFileSync } from 'node:child_process'

/** Worker threads and helper processes run built files, and the command line is a built file: build once, before any test. */
export default function setup() {
  if (process.env['HOOKLINE_SKIP_BUILD']) return
  execFileSync(process.execPath, ['node_modules/tsdown/dist/run.mjs', '--silent'], { stdio: 'inherit' })
}
