import { build, install, tool } from './setup.mjs'

/** `npm run soak:audit -- [rounds]`: kills the sender, the server and the database of an audit in turn, fifty times. */
const [rounds = '50'] = process.argv.slice(2)
install()
if (build() !== 0) process.exit(1)
const env = { ...process.env, HOOKLINE_AUDIT_ROUNDS: rounds, HOOKLINE_SKIP_BUILD: '1' }
process.exit(tool('vitest/vitest.mjs', ['run', 'packages/server/test/audit-rounds.test.ts'], { env }))
