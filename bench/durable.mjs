import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { createPermissions, openAgent } from '@hookline/agent'
import { startWorker } from '@hookline/server'
import { createJiti } from 'jiti'
import pg from 'pg'
import { startChild } from '../packages/server/test/support/killing.mjs'
import { scripted } from '../packages/server/test/support/scripted-turns.mjs'
import { summarise } from './kit/measure.mjs'
import { atLeast, atMost, number, row } from './kit/row.mjs'

/** What a turn with one tool call writes down. */
const steps = ['model', 'verdict', 'tool', 'result', 'model', 'end']

/** The floor: as many steps, and nothing in them. */
const empty = DBOS.registerWorkflow(
  async () => {
    for (const name of steps) await DBOS.runStep(async () => null, { name })
  },
  { name: 'floor' },
)

export default async function ({ quick }) {
  const { startPostgres } = await createJiti(import.meta.url).import(
    new URL('../packages/server/test/support/postgres.ts', import.meta.url).pathname,
  )
  // As it is in earnest: what is written down is on the disk.
  const postgres = await startPostgres({ fsync: 'on' })
  try {
    return [...(await turns(await postgres.database(), quick)), await takeover(await postgres.database(), quick)]
  } finally {
    await postgres.stop()
  }
}

async function turns(database, quick) {
  const [rounds, count] = [quick ? 2 : 5, quick ? 100 : 300]
  /** By turn: when hooks first saw its call. */
  const answered = new Map()
  const times = { durable: [], plain: [] }
  const at = async (point, { id, plain }) => {
    if (point.startsWith('pre_tool_use ')) answered.set(id, performance.now())
    if (point === 'model 1 begins') times[plain ? 'plain' : 'durable'].push(performance.now() - answered.get(id))
  }
  const open = scripted({ openAgent, createPermissions }, { at })
  const worker = await startWorker({ database, open, atOnce: count })
  const client = new pg.Client(database)
  await client.connect()
  const done = async (prefix) => {
    for (;;) {
      const { rows } = await client.query(
        "select count(*)::int as n from dbos.workflow_status where status = 'SUCCESS' and workflow_uuid like $1",
        [`${prefix}-%`],
      )
      if (rows[0].n === count) return
      await delay(25)
    }
  }
  const all = (begin) => Promise.all(Array.from({ length: count }, (_, each) => begin(each)))
  const measured = { ours: [], floor: [] }
  const subjects = {
    ours: (name) => all((each) => worker.begin(turn(`${name}-${each}`))),
    floor: (name) =>
      all((each) =>
        DBOS.startWorkflow(empty, {
          ...{ workflowID: `${name}-${each}`, queueName: 'hookline-turns' },
          enqueueOptions: { queuePartitionKey: `${name}-${each}` },
        })(),
      ),
  }
  for (let round = -1; round < rounds; round += 1)
    for (const name of round % 2 === 0 ? ['ours', 'floor'] : ['floor', 'ours']) {
      const since = performance.now()
      await subjects[name](`${name}${round}`)
      await done(`${name}${round}`)
      if (round >= 0) measured[name].push((performance.now() - since) / count)
    }
  // One after the other: what a single call waits for.
  times.durable.length = 0
  for (let each = 0; each < (quick ? 30 : 100); each += 1) {
    await worker.begin(turn(`one-${each}`))
    await worker.result(`one-${each}`, 60_000)
    const { agent } = await open({ ...turn(`plain-${each}`), plain: true }, { records: [], session: `plain-${each}` })
    await agent.prompt('short')
    await agent.end('other')
  }
  await client.end()
  await worker.close({ graceMs: 0 })
  const [ours, floor] = [summarise(measured.ours), summarise(measured.floor)]
  const [durable, plain] = [summarise(times.durable), summarise(times.plain)]
  return [
    row({
      what: `durable turns, ${steps.length} steps each`,
      ours: `${number(1000 / ours.p50)} turns/s`,
      other: `DBOS, empty steps: ${number(1000 / floor.p50)} turns/s`,
      ratio: floor.p50 / ours.p50,
      bar: atLeast(0.7),
      value: floor.p50 / ours.p50,
      note: `${count} sessions at once, one process, one tool call in each turn`,
    }),
    row({
      what: 'what durability adds to a tool call',
      ours: `${number(durable.p50)} ms`,
      other: `not kept: ${number(plain.p50)} ms`,
      bar: atMost(15, ' ms'),
      value: durable.p50 - plain.p50,
      note: 'from the first event of the call to the next request to the model; p50, one turn at a time',
    }),
  ]
}

const turn = (id, text = 'short') => ({ id, session: id, kind: 'prompt', text })

/** From the death of a worker to the end of its turn in another, with the usual patience. */
async function takeover(database, quick) {
  const directory = mkdtempSync(join(tmpdir(), 'hookline-bench-'))
  const effects = join(directory, 'effects.txt')
  writeFileSync(effects, '')
  const env = { DATABASE: database, EFFECTS: effects, DEAD_MS: '3000' }
  const open = () => Promise.reject(new Error('It runs no turns.'))
  const worker = await startWorker({ database, open, runsTurns: false })
  const times = []
  for (let round = 0; round < (quick ? 2 : 5); round += 1) {
    const id = `taken-${round}`
    const dying = await startChild(env)
    await worker.begin(turn(id, 'slow'))
    while (!readFileSync(effects, 'utf8').includes(`slow ${id}.a `)) await delay(20)
    const other = await startChild(env)
    const since = performance.now()
    dying.kill('SIGKILL')
    await worker.result(id, 60_000)
    times.push(performance.now() - since)
    other.kill('SIGKILL')
    await other.gone
  }
  await worker.close({ graceMs: 0 })
  rmSync(directory, { recursive: true })
  const { p50 } = summarise(times)
  return row({
    what: 'another worker has ended the turn of one that was killed',
    ours: `${number(p50 / 1000)} s`,
    bar: atMost(5, ' s'),
    value: p50 / 1000,
    note: `kill -9 in the middle of a tool, ${times.length} times; a worker counts as dead after 3 s`,
  })
}
