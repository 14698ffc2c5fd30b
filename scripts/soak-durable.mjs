import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createJiti } from 'jiti'
import { makeFresh, root } from './setup.mjs'

/**
 * `npm run soak:durable -- [--points 200] [--from 1] [--together 1] [--only goal,steered]`: a turn for each point, whose worker dies there by `kill -9`, or (every fifth) stands
 * still and comes back when others have gone on. Turns are in turn about tools, a goal, steering, a follow-up, cancelling, a sub-agent, an approval and a question, of
 * which some are answered while no worker lives. All must end, no tool may run twice, no verdict may be lost or doubled, nothing that a person wrote may be lost.
 */
const { values } = parseArgs({
  options: {
    points: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    step: { type: 'string', default: '1' },
    together: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
})
makeFresh()
const { startWorker } = await import('@hookline/server')
const { killAll } = await import('../packages/server/test/support/killing.mjs')
const { startPostgres } = await createJiti(import.meta.url).import(
  join(root, 'packages/server/test/support/postgres.ts'),
)

const postgres = await startPostgres()
const database = await postgres.database()
const directory = mkdtempSync(join(tmpdir(), 'hookline-soak-'))
const effects = join(directory, 'effects.txt')
writeFileSync(effects, '')
const points = Number(values.points)
const worker = await startWorker({
  database,
  runsTurns: false,
  open: () => Promise.reject(new Error('It runs no turns.')),
})
const began = Date.now()
const wrong = await killAll({
  ...{
    worker,
    database,
    effects,
    points,
    from: Number(values.from),
    step: Number(values.step),
    together: Number(values.together),
  },
  ...(values.only && { only: values.only.split(',') }),
  stops: (at) => at % 5 === 0,
  onRound: (at) => process.stderr.isTTY && process.stderr.write(`\r${at} of ${points}`),
})
const seconds = Math.round((Date.now() - began) / 1000)
const stopped = Math.floor(points / 5)
console.log(
  `\n${points} workers stopped in the middle of a turn, ${stopped} of them came back, in ${seconds} s: ${wrong.length} things wrong`,
)
for (const each of wrong) console.log(`  ${each}`)
if (process.env.HOOKLINE_SOAK_EFFECTS) console.log(readFileSync(effects, 'utf8'))
await worker.close({ graceMs: 0 })
await postgres.stop()
rmSync(directory, { recursive: true })
process.exit(wrong.length > 0 ? 1 : 0)
