import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, install, root, tool } from './setup.mjs'

/**
 * `npm run soak -- [rounds] [part of a path]`: the laws on new random cases each round, until one of them breaks.
 * `npm run soak -- attack [--seconds 60] [--seed n]`: only dangerous commands in disguise, and ordinary ones, for so long.
 */
const [rounds = '10', part = ''] = process.argv.slice(2)
install()
if (rounds === 'attack') process.exit(attack())
if (build() !== 0) process.exit(1)
const files = readdirSync(join(root, 'packages'), { recursive: true, encoding: 'utf8' })
  .map((file) => join('packages', file))
  .filter((file) => /^packages\/[^/]+\/test\/.*\.test\.ts$/.test(file) && file.includes(part))
  .filter((file) => /support\/property\.ts|laws\.ts'/.test(readFileSync(join(root, file), 'utf8')))

for (let round = 1; round <= Number(rounds); round++) {
  const seed = String(randomInt(2 ** 31))
  console.log(`round ${round} of ${rounds}: HOOKLINE_SEED=${seed}`)
  const env = { ...process.env, HOOKLINE_SEED: seed, HOOKLINE_CASES: '100000', HOOKLINE_SKIP_BUILD: '1' }
  const exit = tool('vitest/vitest.mjs', ['run', '--silent=true', ...files], { env })
  if (exit !== 0) {
    console.error(`\nA law broke. The same cases again: HOOKLINE_SEED=${seed} npm test -- <file>`)
    process.exit(exit)
  }
}

function attack() {
  const option = (name, otherwise) => {
    const at = process.argv.indexOf(`--${name}`)
    return at < 0 ? otherwise : (process.argv[at + 1] ?? otherwise)
  }
  const seconds = option('seconds', '60')
  const seed = option('seed', String(randomInt(2 ** 31)))
  const again = `npm run soak -- attack --seconds ${seconds} --seed ${seed}`
  console.log(`attack for ${seconds} s; the same lines again: ${again}`)
  const env = { ...process.env, HOOKLINE_SEED: seed, HOOKLINE_ATTACK_SECONDS: seconds, HOOKLINE_SKIP_BUILD: '1' }
  const exit = tool(
    'vitest/vitest.mjs',
    ['run', 'packages/hookline/test/guards/attack.test.ts', 'packages/hookline/test/guards/real-programs.test.ts'],
    { env },
  )
  if (exit !== 0) console.error(`\nA dangerous command got milder, or an ordinary one was blocked. Again: ${again}`)
  return exit
}
