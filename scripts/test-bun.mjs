/**
 * Runs the laws of `hookline/edge` in Bun, which is fetched from npm in a fixed version, into a cache (HOOKLINE_BUN, else
 * ~/.cache/hookline-bun): about 100 MB, so that it is no dependency.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { build, install, root } from './setup.mjs'

const version = '1.4.4'
const cache = join(process.env.HOOKLINE_BUN ?? join(homedir(), '.cache/hookline-bun'), version)
const bun = join(cache, 'node_modules/.bin/bun')

if (!process.argv.includes('--no-build')) {
  install()
  if (build() !== 0) process.exit(1)
}
if (!existsSync(bun)) {
  mkdirSync(cache, { recursive: true })
  writeFileSync(join(cache, 'package.json'), '{ "private": true }')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', '--foreground-scripts', `bun@${version}`], {
    cwd: cache,
    stdio: 'inherit',
  })
}
execFileSync(bun, [join(root, 'packages/hookline/test/edge/run.mjs')], { stdio: 'inherit' })
