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
import { atLeast, atMost, below, number, row } from './kit/row.mjs'

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
  const postgres = await startPostgres()
  try {
    return [
      ...(await turns(await postgres.database(), quick)),
      ...(await waiting(await postgres.database(), quick)),
      await takeover(await postgres.database(), quick),
    ]
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

async function waiting(database, quick) {
  const count = quick ? 1_000 : 10_000
  const [asked, acted] = [new Map(), []]
  const act = async (name, { id }) => {
    if (name === 'risky' && asked.has(id)) acted.push(performance.now() - asked.get(id))
  }
  const worker = await startWorker({ database, lingerMs: 0, open: scripted({ openAgent, createPermissions }, { act }) })
  const resting = async (total) => {
    while ((await worker.questions.open()).length < total || worker.working > 0) await delay(250)
  }
  // What the first ones load is no part of what each one takes.
  for (let each = 0; each < 100; each += 1) await worker.begin(turn(`warm-${each}`, 'approve'))
  await resting(100)
  const before = memory()
  for (let from = 0; from < count; from += 100)
    await Promise.all(
      Array.from({ length: Math.min(100, count - from) }, (_, each) =>
        worker.begin(turn(`wait-${from + each}`, 'approve')),
      ),
    )
  await resting(100 + count)
  const each = (memory() - before) / count
  const open = (await worker.questions.open()).filter(({ turn: of }) => of.startsWith('wait-'))
  const answers = quick ? 100 : 500
  for (let at = 0; at < answers; at += 1) {
    const { id, turn: of } = open[Math.floor((at * open.length) / answers)]
    asked.set(of, performance.now())
    void worker.answer(id, { approval: { answer: 'once' } })
    await delay(50)
  }
  while (acted.length < answers) await delay(50)
  await worker.close({ graceMs: 0 })
  const { p50, p99 } = summarise(acted)
  return [
    row({
      what: `${count.toLocaleString('en')} sessions that wait for people, memory of each`,
      ours: `${number(each / 1024)} KB`,
      bar: atMost(20, ' KB'),
      value: each / 1024,
      note: 'in the process of the worker, heap and outside of it, after a collection',
    }),
    row({
      what: 'an answer reaches a session that waits',
      ours: `p99 ${number(p99)} ms (p50 ${number(p50)})`,
      bar: below(2_000, ' ms'),
      value: p99,
      note: `until its tool runs; ${answers} answers, 20 a second, while the others wait`,
    }),
  ]
}

function memory() {
  for (let times = 0; times < 3; times += 1) globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

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
