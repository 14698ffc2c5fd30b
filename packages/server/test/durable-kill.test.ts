import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createPermissions, openAgent } from '../../agent/src/index.ts'
import { scratch } from '../../hookline/test/support/scratch.ts'
import { startWorker, type Turn } from '../src/index.ts'
import { killAll, startChild } from './support/killing.mjs'
import { startPostgres } from './support/postgres.ts'
import { scripted } from './support/scripted-turns.mjs'

/** Somebody who looks on, and runs nothing unless told otherwise. */
async function onlooker(more = {}) {
  const postgres = await startPostgres()
  const database = await postgres.database()
  const effects = join(scratch(), 'effects.txt')
  writeFileSync(effects, '')
  const act = async (name: string, _turn: Turn, call: string) => appendFileSync(effects, `${name} ${call} here\n`)
  const open = scripted({ openAgent, createPermissions }, { act })
  const worker = await startWorker({ database, open, runsTurns: false, ...more })
  onTestFinished(async () => {
    await worker.close({ graceMs: 0 })
    await postgres.stop()
  })
  return { worker, database, effects }
}

it('kill -9 at 20 points, zombies included: turns end, no tool runs twice, no verdict is lost or doubled', async () => {
  const around = await onlooker()
  expect(await killAll({ ...around, points: 20, step: 2, together: 4, stops: (at) => at % 2 === 0 })).toEqual([])
}, 600_000)

it('a worker that drains ends what it has begun, and begins nothing more: the next one does', async () => {
  const { worker, database, effects } = await onlooker()
  const done = () => readFileSync(effects, 'utf8').split('\n')
  const turn = (id: string): Turn => ({ id, session: `session-${id}`, kind: 'prompt', text: 'work' })
  const old = await startChild({ DATABASE: database, EFFECTS: effects, HALT: JSON.stringify({ begun: 15 }) })
  await worker.begin(turn('begun'))
  await expect.poll(() => done().some((each) => each.startsWith('halts begun at ')), { interval: 20 }).toBe(true)
  old.kill('SIGTERM')
  await expect.poll(() => done().some((each) => each.startsWith('drains ')), { interval: 20 }).toBe(true)
  await worker.begin(turn('later'))
  const next = await startChild({ DATABASE: database, EFFECTS: effects })
  onTestFinished(() => void next.kill('SIGKILL'))
  expect(await worker.result('later', 60_000)).toMatchObject({ response: 'finished' })
  old.kill('SIGCONT')
  expect(await worker.result('begun', 60_000)).toMatchObject({ response: 'finished' })
  expect(await old.gone).toBe(0)
  for (const [id, { pid }] of Object.entries({ begun: old, later: next }))
    expect(
      done()
        .filter((each) => each.startsWith(`act ${id}.`))
        .toSorted(),
    ).toEqual(['a', 'b', 'c'].map((call) => `act ${id}.${call} ${pid}`))
}, 60_000)

it('two versions run side by side, each its own turns; when the old one is gone, the new one goes on with what it left', async () => {
  // Longer than a busy machine keeps a living worker from saying so, twice a second.
  const { worker, database, effects } = await onlooker({
    ...{ runsTurns: true, version: 'turns-new', lingerMs: 50, deadMs: 1_500, adoptMs: 4_000 },
  })
  const turn = (id: string): Turn => ({ id, session: `session-${id}`, kind: 'prompt', text: 'both' })
  const startOld = (id: string) =>
    startChild({ DATABASE: database, EFFECTS: effects, VERSION: 'turns-old', BEGIN: JSON.stringify(turn(id)) })
  const done = () => readFileSync(effects, 'utf8').split('\n')
  const question = async (id: string) => {
    await expect.poll(async () => (await worker.questions.open(`session-${id}`)).length, { interval: 50 }).toBe(1)
    return (await worker.questions.open(`session-${id}`))[0]!.id
  }
  const answer = async (id: string) => worker.answer(await question(id), { approval: { answer: 'once' } })

  const old = await startOld('one')
  await worker.begin(turn('new'))
  await Promise.all([answer('one'), answer('new')])
  for (const id of ['one', 'new']) expect(await worker.result(id, 60_000)).toMatchObject({ response: 'finished' })
  expect(done()).toContain(`risky one.a ${old.pid}`)
  expect(done()).toContain('risky new.a here')
  old.kill('SIGKILL')
  await old.gone

  const last = await startOld('left')
  await question('left')
  last.kill('SIGKILL')
  await last.gone
  await answer('left')
  expect(await worker.result('left', 60_000)).toMatchObject({ reason: 'normal', response: 'finished' })
  expect(done()).toContain('risky left.a here')
  const judged = done().filter((each) => each.startsWith('verdict pre_tool_use left.a '))
  expect(judged).toEqual([`verdict pre_tool_use left.a ${last.pid}`])
}, 60_000)
