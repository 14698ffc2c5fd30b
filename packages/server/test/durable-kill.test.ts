import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createPermissions, openAgent } from '../../agent/src/index.ts'
import { scratch } from '../../hookline/test/support/scratch.ts'
import { startWorker } from '../src/index.ts'
import { killAll } from './support/killing.mjs'
import { startPostgres } from './support/postgres.ts'
import { scripted } from './support/scripted-turns.mjs'

/** Somebody who looks on, and runs nothing. */
async function onlooker() {
  const postgres = await startPostgres()
  const database = await postgres.database()
  const effects = join(scratch(), 'effects.txt')
  writeFileSync(effects, '')
  const open = scripted({ openAgent, createPermissions })
  const worker = await startWorker({ database, open, runsTurns: false })
  onTestFinished(async () => {
    await worker.close({ graceMs: 0 })
    await postgres.stop()
  })
  return { worker, database, effects }
}

it('kill -9 at 20 points, zombies included: turns end, no tool runs twice, no verdict is lost or doubled', async () => {
  const around = await onlooker()
  expect(await killAll({ ...around, points: 20, step: 2, stops: (at: number) => at % 5 === 0 })).toEqual([])
}, 600_000)
