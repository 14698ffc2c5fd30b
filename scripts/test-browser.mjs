import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { install, makeFresh, tool } from './setup.mjs'

/**
 * `npm run test:browser`: the console in a real Chromium. It is looked for (CHROMIUM, then the usual names); as root on Debian and
 * its kin it is installed where there is none. Never part of `npm test`.
 */
install()
const chromium = find() ?? fetchChromium()
if (chromium === undefined) {
  process.stderr.write(
    'There is no Chromium here. Install one (`apt-get install chromium`), or name one: CHROMIUM=/path/to/chrome npm run test:browser\n',
  )
  process.exit(1)
}
makeFresh()
process.exit(
  tool('vitest/vitest.mjs', ['run', '--config', 'vitest.browser.config.ts', ...process.argv.slice(2)], {
    env: { ...process.env, CHROMIUM: chromium, HOOKLINE_SKIP_BUILD: '1' },
  }),
)

function find() {
  const named = process.env.CHROMIUM
  if (named) return existsSync(named) ? named : undefined
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const mac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
  const found = names.map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim()).find(Boolean)
  return found ?? (existsSync(mac) ? mac : undefined)
}

function fetchChromium() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined
  process.stderr.write('Installing Chromium (once; about a minute)…\n')
  try {
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { stdio: 'ignore' })
  } catch {
    execFileSync('apt-get', ['update'], { stdio: 'ignore' })
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { stdio: 'inherit' })
  }
  return find()
}
