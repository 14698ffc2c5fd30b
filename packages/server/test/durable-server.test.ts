import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { PagePerson } from 'hookline/internal'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { remove } from '../../hookline/test/support/scratch.ts'
import { startPostgres, type TestPostgres } from './support/postgres.ts'
import { openServer, readStream, signIn, type TestServer } from './support/server.ts'
import { followKilled } from './support/streams.ts'

/** The rehearsal model begins anew in every process: what it says must follow from what was said last. */
const script = `rehearsal: 1
turns:
  - { when: { tool: shell, failed: true }, say: 'I may not: {{ result }}', repeat: true }
  - { when: { tool: shell }, say: It is done., repeat: true }
  - { when: { tool: ask_user }, say: 'Painted {{ result }}.', repeat: true }
  - { when: { user: publish }, call: { tool: shell, input: { command: touch published } }, repeat: true }
  - when: { user: which colour }
    call: { tool: ask_user, input: { question: Which colour?, options: [red, blue] } }
    repeat: true
default: { say: 'You said: {{ user }}' }
`
const config = `version: 1
rules:
  - { id: sure, ask: { run: touch published }, because: It is for everybody. }
`

const cli = fileURLToPath(new URL('../../hookline/bin/hookline.js', import.meta.url))
const person = (): PagePerson => ({ readsTerminal: true, confirm: async () => true })
let postgres: TestPostgres
let server: TestServer
let root: string
let project: string
let database: string
beforeAll(async () => {
  postgres = await startPostgres()
  database = await postgres.database()
  root = mkdtempSync(join(tmpdir(), 'hookline-durable-'))
  project = join(root, 'shop')
  mkdirSync(project)
  writeFileSync(join(project, 'script.yaml'), script)
  writeFileSync(join(project, 'hookline.yaml'), config)
  server = await openServer(root, { database, person })
  await server.send('PUT', '/api/agents/painter', { project, rehearse: 'script.yaml' })
})
afterAll(async () => {
  await server.close()
  await postgres.stop()
  remove(root)
})

async function inDatabase(text: string, values: readonly string[] = []): Promise<{ id: string }[]> {
  const client = new pg.Client(database)
  await client.connect()
  const { rows } = await client.query<{ id: string }>(text, [...values]).finally(() => client.end())
  return rows
}

interface Session {
  id: string
  state: string
  turns: { id: string; state: string; response: string | null }[]
  asks: { id: string; options: string[] }[]
}
const call = async <T>(method: string, path: string, body?: object) =>
  (await (await server.send(method, path, body)).json()) as T
const create = () => call<Session>('POST', '/api/sessions', { agent: 'painter' })
const show = (id: string) => server.json<Session>(`/api/sessions/${id}`)
const until = (id: string, state: string) =>
  expect
    .poll(() => show(id), { interval: 50 })
    .toMatchObject({ state })
    .then(() => show(id))
const questions = async () =>
  (await server.json<{ questions: { id: string; session: string }[] }>('/api/questions')).questions

it('a session on a PostgreSQL answers, keeps what was said, and streams it', async () => {
  const { id } = await create()
  await call('POST', `/api/sessions/${id}/prompt`, { text: 'hello' })
  await call('POST', `/api/sessions/${id}/follow-up`, { text: 'again' })
  const { turns } = await until(id, 'idle')
  expect(turns.map(({ state, response }) => [state, response])).toEqual([
    ['completed', 'You said: hello'],
    ['completed', 'You said: again'],
  ])
  const authorization = `Bearer ${server.token}`
  const events = await readStream(
    `${server.url}/api/sessions/${id}/events?after=0`,
    { authorization },
    'turn.completed',
  )
  const types = events.map(({ event }) => event)
  for (const type of ['session.created', 'turn.started', 'agent.text']) expect(types).toContain(type)
  const exported = await (await server.get(`/api/sessions/${id}/export`)).text()
  expect(exported).toContain('You said: again')
})

it('questions wait while the server is replaced, and the turn goes on with the answer', async () => {
  const [approved, painted] = [await create(), await create()]
  await call('POST', `/api/sessions/${approved.id}/prompt`, { text: 'publish' })
  await call('POST', `/api/sessions/${painted.id}/prompt`, { text: 'which colour' })
  await Promise.all([until(approved.id, 'waiting'), until(painted.id, 'waiting')])
  // A server took a prompt, and was killed before its turn began.
  const left = await create()
  await inDatabase(
    "insert into turns (id, session, kind, prompt, state, started, server) values ('trn_left', $1, 'prompt', 'hello', 'queued', 1, 'gone')",
    [left.id],
  )
  await server.close()
  server = await openServer(root, { database, person })
  await expect.poll(async () => (await questions()).length, { interval: 50 }).toBe(1)
  const [question] = await questions()
  expect(question!.session).toBe(approved.id)
  const [ask] = (await show(painted.id)).asks
  expect(ask!.options).toEqual(['red', 'blue'])
  expect(existsSync(join(project, 'published'))).toBe(false)
  const { page } = await signIn(server)
  const as = { authorization: '', ...page }
  const answered = await server.send('POST', `/api/questions/${question!.id}/answer`, { answer: 'yes' }, as)
  expect(answered.status).toBe(200)
  await call('POST', `/api/sessions/${painted.id}/answer`, { id: ask!.id, text: 'blue' })
  expect((await until(approved.id, 'idle')).turns[0]).toMatchObject({ state: 'completed', response: 'It is done.' })
  expect((await until(painted.id, 'idle')).turns[0]).toMatchObject({ state: 'completed', response: 'Painted blue.' })
  expect(existsSync(join(project, 'published'))).toBe(true)
  expect((await until(left.id, 'idle')).turns).toMatchObject([{ state: 'completed', response: 'You said: hello' }])
})

it('a stream also gets what no notice came of, and nothing again that it has from another server', async () => {
  const quietly = (type: string) =>
    inDatabase(
      `with next as (update counters set value = value + 1 where name = 'events' returning value)
        insert into events (id, time, type, data) select value, 1, $1, '{}' from next returning id`,
      [type],
    )
  const read = (query: string) =>
    readStream(`${server.url}/api/events?${query}`, { authorization: `Bearer ${server.token}` }, 1)
  await create()
  await quietly('test.one')
  const [one] = await read('after=0&types=test.one')
  const [two] = await quietly('test.two')
  // This server has not heard of it.
  const rest = read(`after=${two!.id}&types=test.*`)
  await delay(50)
  await quietly('test.three')
  expect(await rest).toMatchObject([{ event: 'test.three' }])
  expect(await read(`after=${one!.id}&types=test.*`)).toMatchObject([{ event: 'test.two' }])
})

it('a stream whose server is killed goes on at another: nothing that was acknowledged is missing, nothing comes twice', async () => {
  const { id } = await create()
  const rounds = Number(process.env['HOOKLINE_STREAM_ROUNDS'] ?? 1)
  const { acknowledged, heard } = await followKilled(server, database, id, rounds)
  const texts = heard.map(({ text }) => text)
  expect(texts).toEqual(expect.arrayContaining(acknowledged))
  expect(new Set(texts).size).toBe(texts.length)
  const numbers = heard.map(({ id: number }) => Number(number))
  expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other))
})

it('a session that waits can be stopped, and deleted', async () => {
  const { id } = await create()
  await call('POST', `/api/sessions/${id}/prompt`, { text: 'which colour' })
  await until(id, 'waiting')
  await call('POST', `/api/sessions/${id}/follow-up`, { text: 'never' })
  await call('POST', `/api/sessions/${id}/cancel`)
  const { turns } = await until(id, 'idle')
  expect(turns.map(({ state }) => state)).toEqual(['canceled', 'canceled'])
  expect((await server.send('DELETE', `/api/sessions/${id}`)).status).toBe(200)
  expect((await server.get(`/api/sessions/${id}`)).status).toBe(404)
})

it('`hookline worker` runs the turns of a server that runs none, and SIGTERM drains it', async () => {
  await server.close()
  server = await openServer(root, { database, person, turns: { runsTurns: false } })
  const worker = spawn(process.execPath, [cli, 'worker', '--json', '--journal', server.journal], {
    env: { ...process.env, HOOKLINE_DATABASE: database },
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [ready] = (await once(worker.stdout.setEncoding('utf8'), 'data')) as [string]
  expect(JSON.parse(ready)).toEqual({ id: expect.stringContaining(`-${worker.pid}-`) })
  const { id } = await create()
  await call('POST', `/api/sessions/${id}/prompt`, { text: 'hello' })
  expect((await until(id, 'idle')).turns[0]).toMatchObject({ state: 'completed', response: 'You said: hello' })
  worker.kill('SIGTERM')
  expect(await once(worker, 'exit')).toEqual([0, null])
}, 60_000)
