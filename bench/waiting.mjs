import { setTimeout as delay } from 'node:timers/promises'
import { createPermissions, openAgent } from '@hookline/agent'
import { startWorker } from '@hookline/server'
import { createJiti } from 'jiti'
import pg from 'pg'
import { scripted } from '../packages/server/test/support/scripted-turns.mjs'
import { summarise } from './kit/measure.mjs'
import { atMost, below, number, row } from './kit/row.mjs'

export default async function ({ quick }) {
  const { startPostgres } = await createJiti(import.meta.url).import(
    new URL('../packages/server/test/support/postgres.ts', import.meta.url).pathname,
  )
  const postgres = await startPostgres({ fsync: 'on' })
  try {
    return await waiting(await postgres.database(), quick)
  } finally {
    await postgres.stop()
  }
}

const turn = (id) => ({ id, session: id, kind: 'prompt', text: 'approve' })

async function waiting(database, quick) {
  const count = quick ? 1_000 : 10_000
  const [asked, acted] = [new Map(), []]
  const act = async (name, { id }) => {
    if (name === 'risky' && asked.has(id)) acted.push(performance.now() - asked.get(id))
  }
  const worker = await startWorker({ database, lingerMs: 0, open: scripted({ openAgent, createPermissions }, { act }) })
  const client = new pg.Client(database)
  await client.connect()
  const resting = async (total) => {
    for (;;) {
      const { rows } = await client.query('select count(*)::int as asked from durable_questions')
      if (rows[0].asked === total && worker.working === 0) return
      await delay(500)
    }
  }
  // What the first ones load is no part of what each one takes.
  for (let each = 0; each < 100; each += 1) await worker.begin(turn(`warm-${each}`))
  await resting(100)
  const before = memory()
  for (let from = 0; from < count; from += 100)
    await Promise.all(
      Array.from({ length: Math.min(100, count - from) }, (_, each) => worker.begin(turn(`wait-${from + each}`))),
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
  await client.end()
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
