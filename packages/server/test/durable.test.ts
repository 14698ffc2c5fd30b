import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPermissions, openAgent } from '../../agent/src/index.ts'
import { type Opened, type Surviving, startWorker, type Turn, type TurnWorker } from '../src/index.ts'
import { startPostgres, type TestPostgres } from './support/postgres.ts'
import { scripted } from './support/scripted-turns.mjs'

let postgres: TestPostgres
let worker: TurnWorker
let database: string
/** What tools and hooks did: `act turn.a`, `verdict pre_tool_use turn.a`. */
const done: string[] = []
/** Happens when a hook or a tool does this. */
let meanwhile: { what: string; happens(): Promise<unknown> } | undefined
const openScripted = scripted(
  { openAgent, createPermissions },
  {
    async act(name: string, _turn: Turn, call: string) {
      done.push(`${name} ${call}`)
      if (`${name} ${call}` === meanwhile?.what) await meanwhile.happens()
    },
  },
)
/** The last agent of each turn, as long as somebody holds it. */
const agents = new Map<string, WeakRef<object>>()
async function open(turn: Turn, surviving: Surviving): Promise<Opened> {
  const opened = await openScripted(turn, surviving)
  agents.set(turn.id, new WeakRef(opened.agent))
  return opened
}
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const ended: string[] = []
const start = (more = {}) =>
  startWorker({ database, open, lingerMs: 50, ended: async ({ id }) => void ended.push(id), ...more })

/** What somebody does in the database, of which no notice comes. */
async function inDatabase(text: string, values: readonly string[] = []): Promise<unknown[]> {
  const client = new pg.Client(database)
  await client.connect()
  const { rows } = await client.query(text, [...values]).finally(() => client.end())
  return rows
}

beforeAll(async () => {
  postgres = await startPostgres()
  database = await postgres.database()
  worker = await start()
})
afterAll(async () => {
  await worker.close({ graceMs: 0 })
  await postgres.stop()
})

let turns = 0
async function begin(text: string, more: Partial<Turn> = {}): Promise<Turn> {
  const id = `turn${++turns}`
  const turn: Turn = { id, session: `session-${id}`, kind: 'prompt', text, ...more }
  await worker.begin(turn)
  return turn
}
const end = async ({ id }: Turn) => (await worker.result(id, 60_000))!
const asked = ({ session }: Turn) =>
  expect.poll(async () => (await worker.questions.open(session)).length, { interval: 20 }).toBe(1)
const question = async ({ session }: Turn) => (await worker.questions.open(session))[0]!
const ran = (call: string) =>
  done.filter((each) => /^(act|same|risky|slow) /.test(each) && each.endsWith(` ${call}`)).length
const rested = () => expect.poll(() => worker.working, { interval: 20 }).toBe(0)

it('a turn is a workflow of few steps: model, verdict, tool, result, model, end', async () => {
  const turn = await begin('short')
  expect(await end(turn)).toMatchObject({ reason: 'normal', response: 'finished' })
  expect(await worker.steps(turn.id)).toEqual(['model', 'verdict', 'tool', 'result', 'model', 'end'])
  expect(ran(`${turn.id}.a`)).toBe(1)
})

it('a second worker in this process is refused, and the first goes on', async () => {
  await expect(start({ open: () => Promise.reject(new Error('Nobody opens this.')) })).rejects.toThrow(
    'Start this one in a process of its own',
  )
  expect(await end(await begin('short'))).toMatchObject({ reason: 'normal', response: 'finished' })
})

it('a session goes on with what it said before, turn after turn', async () => {
  const first = await begin('short')
  const second = await begin('work', { session: first.session, kind: 'follow-up' })
  expect((await end(second)).response).toBe('finished')
  const records = await worker.records(first.session)
  const said = records.flatMap((record) => (record.type === 'message' ? [record.message.role] : []))
  expect(said).toEqual('user assistant tool assistant user assistant tool tool assistant tool assistant'.split(' '))
})

it('waits for a person without holding the agent, and goes on with the first answer alone', async () => {
  const turn = await begin('approve')
  await asked(turn)
  await rested()
  const { id } = await question(turn)
  const answers = await Promise.all([
    worker.answer(id, { approval: { answer: 'once' } }),
    worker.answer(id, { approval: { answer: 'no' } }),
  ])
  expect(answers.toSorted()).toEqual([false, true])
  await end(turn)
  expect(ran(`${turn.id}.a`)).toBe(answers[0] ? 1 : 0)
  expect(done.filter((each) => each === `verdict pre_tool_use ${turn.id}.a`)).toHaveLength(1)
  expect(await worker.answer(id, { approval: { answer: 'once' } })).toBe(false)
})

it('nothing holds an agent whose person does not answer', async () => {
  const turn = await begin('approve')
  await asked(turn)
  await rested()
  const isHeld = () => {
    collect()
    return agents.get(turn.id)!.deref() !== undefined
  }
  await expect.poll(isHeld, { interval: 50 }).toBe(false)
  await worker.answer((await question(turn)).id, { approval: { answer: 'once' } })
  expect(await end(turn)).toMatchObject({ reason: 'normal' })
  expect(ran(`${turn.id}.a`)).toBe(1)
})

it('a question that nobody answers in time is answered with no', async () => {
  await worker.close({ graceMs: 0 })
  worker = await start({ answerWithinMs: 1_200 })
  const turn = await begin('approve')
  expect(await end(turn)).toMatchObject({ reason: 'normal' })
  expect(ran(`${turn.id}.a`)).toBe(0)
  expect(await worker.questions.open(turn.session)).toEqual([])
  await worker.close({ graceMs: 0 })
  worker = await start()
})

it('an answer reaches a turn that waited while no worker was alive', async () => {
  const turn = await begin('ask')
  await asked(turn)
  await rested()
  const { id } = await question(turn)
  await worker.close()
  worker = await start()
  await worker.answer(id, { text: 'red' })
  await end(turn)
  const records = await worker.records(turn.session)
  expect(records).toContainEqual(
    expect.objectContaining({ message: expect.objectContaining({ role: 'tool', content: 'red' }) }),
  )
})

it('steering, cancelling, sub-agents and goals survive a worker that is replaced', async () => {
  const steered = await begin('approve')
  const canceled = await begin('approve')
  const delegated = await begin('delegate')
  const goal = await begin('reach', { kind: 'goal' })
  await asked(steered)
  await asked(canceled)
  await rested()
  await worker.steer(steered.session, 'and be quick')
  await worker.close()
  worker = await start()
  await worker.cancel(canceled)
  await worker.answer((await question(steered)).id, { approval: { answer: 'once' } })
  expect(await end(steered)).toMatchObject({ reason: 'normal', response: 'finished and be quick' })
  expect(await end(canceled)).toMatchObject({ reason: 'canceled' })
  expect(ran(`${canceled.id}.a`)).toBe(0)
  expect(await end(goal)).toMatchObject({ reason: 'normal', response: 'done' })
  expect(await end(delegated)).toMatchObject({ reason: 'normal' })
  expect(ran(`helper ${delegated.id}.a`)).toBe(1)
})

it.each(['prompt', 'goal'] as const)('a %s that is stopped before it begins never begins', async (kind) => {
  const first = await begin('slow')
  const turn = await begin('work', { session: first.session, kind })
  await worker.cancel(turn)
  await worker.cancel(first)
  expect(await end(turn)).toMatchObject({ reason: 'canceled', response: '' })
  expect(ran(`${turn.id}.a`)).toBe(0)
  expect(ran(`${first.id}.a`)).toBeLessThanOrEqual(1)
})

it('a turn that works can be stopped', async () => {
  const turn = await begin('slow')
  await expect.poll(() => ran(`${turn.id}.a`), { interval: 20 }).toBe(1)
  await worker.cancel(turn)
  expect(await end(turn)).toMatchObject({ reason: 'canceled' })
})

it('what no notice came of is found all the same: an answer, what a person wrote, that it shall stop', async () => {
  const [answered, stopped] = [await begin('approve'), await begin('slow')]
  await asked(answered)
  await expect.poll(() => ran(`${stopped.id}.a`), { interval: 20 }).toBe(1)
  const yes = JSON.stringify({ approval: { answer: 'once' } })
  await inDatabase('insert into durable_inbox (session, kind, text) values ($1, $2, $3)', [
    ...[answered.session, 'steer', 'and be quick'],
  ])
  await inDatabase('update durable_questions set answer = $1, answered = 1 where turn = $2', [yes, answered.id])
  await inDatabase("insert into durable_inbox (session, turn, kind, text) values ($1, $2, 'cancel', '')", [
    ...[stopped.session, stopped.id],
  ])
  expect(await end(answered)).toMatchObject({ reason: 'normal', response: 'finished and be quick' })
  expect(await end(stopped)).toMatchObject({ reason: 'canceled' })
})

it('a turn that is stopped in the moment in which it asks is over, and its question is closed', async () => {
  const id = `turn${turns + 1}`
  meanwhile = {
    what: `verdict tool_guard ${id}.a`,
    happens: () =>
      inDatabase("insert into durable_inbox (session, turn, kind, text) values ($1, $2, 'cancel', '')", [
        ...[`session-${id}`, id],
      ]),
  }
  const turn = await begin('approve')
  expect(await end(turn)).toMatchObject({ reason: 'canceled' })
  expect(await worker.questions.open(turn.session)).toEqual([])
  expect(ran(`${id}.a`)).toBe(0)
})

it('connections that break again and again cost no turn, and nothing is done twice', async () => {
  // One was taken from the queue, and whoever took it never heard so.
  const first = await begin('slow')
  const stray = await begin('work', { session: first.session })
  await inDatabase(
    "update dbos.workflow_status set status = 'PENDING', executor_id = $1, owner_xid = 'lost' where workflow_uuid = $2",
    [worker.id, stray.id],
  )
  await worker.cancel(first)
  await end(first)
  const all = await Promise.all(Array.from({ length: 12 }, (_, at) => begin(at % 3 === 0 ? 'approve' : 'work')))
  const breaking = (async () => {
    for (let times = 0; times < 20; times += 1) {
      await inDatabase(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'hookline%' and random() < 0.5",
      )
      await delay(50)
    }
  })()
  const waiting = all.filter(({ text }) => text === 'approve')
  for (const turn of waiting) {
    await expect.poll(() => worker.questions.open(turn.session).catch(() => [])).toHaveLength(1)
  }
  await breaking
  for (const turn of waiting)
    await expect
      .poll(async () => {
        for (const { id } of await worker.questions.open(turn.session))
          await worker.answer(id, { approval: { answer: 'once' } }).catch(() => {})
        return worker.questions.open(turn.session)
      })
      .toEqual([])
  for (const turn of [...all, stray]) {
    await expect.poll(() => worker.result(turn.id, 1_000).catch(() => {})).toMatchObject({ response: 'finished' })
    for (const call of ['a', 'b', 'c']) expect(ran(`${turn.id}.${call}`)).toBeLessThanOrEqual(1)
  }
})

it('a worker that leaves lets others repeat only what may be repeated', async () => {
  const turn = await begin('slow')
  await expect.poll(() => ran(`${turn.id}.a`), { interval: 20 }).toBe(1)
  await worker.close({ graceMs: 0 })
  worker = await start()
  expect(await end(turn)).toMatchObject({ reason: 'normal' })
  expect(ran(`${turn.id}.a`)).toBe(1)
  const records = await worker.records(turn.session)
  expect(JSON.stringify(records)).toContain('It may have happened, and it was not repeated')
})

it('a database that dies in the middle of a turn is waited for', async () => {
  const turn = await begin('work')
  await expect.poll(() => ran(`${turn.id}.a`), { interval: 5 }).toBe(1)
  await postgres.kill()
  await postgres.start()
  await expect.poll(async () => (await worker.result(turn.id, 1_000).catch(() => undefined))?.reason).toBe('normal')
  for (const call of ['a', 'b', 'c']) expect(ran(`${turn.id}.${call}`)).toBe(1)
})

it('turns of a version that nobody runs any more go on in the next, with what they have done', async () => {
  const turn = await begin('approve')
  await asked(turn)
  await rested()
  const { id } = await question(turn)
  await worker.close()
  worker = await start({ version: 'turns-2', adoptMs: 200 })
  await worker.answer(id, { approval: { answer: 'once' } })
  expect(await end(turn)).toMatchObject({ reason: 'normal' })
  expect(done.filter((each) => each === `verdict pre_tool_use ${turn.id}.a`)).toHaveLength(1)
  expect(ran(`${turn.id}.a`)).toBe(1)
})
