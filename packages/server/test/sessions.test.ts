import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PagePerson } from 'hookline/internal'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { startHookline } from '../../hookline/test/support/cli.ts'
import { home, openServer, readStream, signIn, type TestServer } from './support/server.ts'

/** What the model does: as it is told. */
const script = `rehearsal: 1
turns:
  - { when: { user: publish }, call: { tool: shell, input: { command: touch published } } }
  - { when: { tool: shell, failed: true }, say: 'I may not: {{ result }}', repeat: true }
  - { when: { tool: shell }, say: It is done., repeat: true }
  - { when: { user: which colour }, call: { tool: ask_user, input: { question: Which colour?, options: [red, blue] } } }
  - { when: { tool: ask_user }, say: 'Painted {{ result }}.' }
  - { when: { user: be slow }, say: one two three four five six seven eight nine ten, pace_ms: 2000 }
default: { say: 'You said: {{ user }}' }
`
const config = `version: 1
rules:
  - { id: sure, ask: { run: touch published }, because: It is for everybody. }
hooks:
  - id: secrets
    event: user_prompt_submit
    run: 'grep -q PRIVATE && { echo "Remove the key and send it again." >&2; exit 2; }; exit 0'
  - { id: over, event: session_end, run: 'echo ended >> ended.txt' }
`

const person = (): PagePerson => ({ readsTerminal: true, confirm: async () => true })
let server: TestServer
let project: string
beforeAll(async () => {
  server = await openServer(undefined, { person })
  project = join(server.root, 'shop')
  mkdirSync(project)
  writeFileSync(join(project, 'script.yaml'), script)
  writeFileSync(join(project, 'hookline.yaml'), config)
  const { page } = await signIn(server)
  const as = { authorization: '', ...page }
  await server.send('PUT', '/api/agents/painter', { project, rehearse: 'script.yaml' }, as)
  const { hooks } = await server.json<{ hooks: { id: string; digest: string; waits: boolean }[] }>(
    `/api/hooks?project=${encodeURIComponent(project)}`,
  )
  for (const { id, digest, waits } of hooks)
    if (waits) await server.send('POST', '/api/hooks/approve', { project, id, digest }, as)
})
afterAll(() => server.end())

interface Session {
  id: string
  state: string
  turns: { id: string; state: string; code: string | null; user_message: string | null; response: string | null }[]
  asks: { id: string; options: string[] }[]
}

const call = async <T>(method: string, path: string, body?: object, headers?: Record<string, string>) => {
  const response = await server.send(method, path, body, headers)
  return { status: response.status, body: (await response.json()) as T }
}
const create = async () => (await call<Session>('POST', '/api/sessions', { agent: 'painter' })).body
const show = (id: string) => server.json<Session>(`/api/sessions/${id}`)
const prompt = (id: string, text: string) => call<{ turn: string }>('POST', `/api/sessions/${id}/prompt`, { text })
const idle = (id: string) =>
  expect
    .poll(async () => (await show(id)).state, { interval: 20 })
    .toBe('idle')
    .then(() => show(id))
const events = (id: string, count: number | string, query = '?after=0') =>
  readStream(`${server.url}/api/sessions/${id}/events${query}`, { authorization: `Bearer ${server.token}` }, count)

it('a prompt is taken at once, and its turn runs by itself to an outcome in the stream', async () => {
  const { id } = await create()
  const { status, body } = await prompt(id, 'hello')
  expect([status, body.turn]).toEqual([202, expect.stringMatching(/^trn_/)])
  const { turns } = await idle(id)
  expect(turns).toMatchObject([{ id: body.turn, state: 'completed', response: 'You said: hello' }])
  const types = (await events(id, 'turn.completed')).map(({ event }) => event)
  for (const type of ['session.created', 'turn.started', 'agent.text']) expect(types).toContain(type)
  // What the model was used for is counted by agent.
  const { usage } = await server.json<{ usage: { agent: string; calls: number; input_tokens: number }[] }>('/api/stats')
  expect(usage).toMatchObject([{ agent: 'painter', calls: 1, cost_usd: 0 }])
  expect(usage[0]!.input_tokens).toBeGreaterThan(0)
})

it('a blocked prompt is a failed turn with what the hook wants the user to read', async () => {
  const { id } = await create()
  expect((await prompt(id, 'BEGIN PRIVATE KEY')).status).toBe(202)
  const { turns } = await idle(id)
  expect(turns).toMatchObject([
    { state: 'failed', code: 'blocked_by_hook', user_message: expect.stringContaining('Remove the key') },
  ])
  const failed = await events(id, 1, '?after=0&types=turn.failed')
  expect(failed[0]!.data).toMatchObject({ user_message: expect.stringContaining('Remove the key') })
  const hooks = await events(id, 3, '?after=0&types=hook.*')
  expect(hooks.map(({ event }) => event)).toEqual(expect.arrayContaining(['hook.invoked', 'hook.completed']))
})

it('what a rule asks about waits among the questions of all agents, and only a person says yes', async () => {
  const { id } = await create()
  await prompt(id, 'publish')
  const waiting = async () =>
    (
      await server.json<{ questions: { id: string; session: string; what: string }[] }>('/api/questions')
    ).questions.find(({ session }) => session === id)
  await expect.poll(waiting, { interval: 20 }).toMatchObject({ what: 'touch published' })
  expect((await show(id)).state).toBe('waiting')
  const question = (await waiting())!.id
  expect((await call('POST', `/api/questions/${question}/answer`, { answer: 'yes' })).status).toBe(403)
  const no = { answer: 'no', because: 'Not on a Friday.' }
  expect((await call('POST', `/api/questions/${question}/answer`, no)).status).toBe(200)
  expect((await idle(id)).turns).toMatchObject([{ response: expect.stringContaining('Not on a Friday.') }])

  const { body: forked } = await call<Session>('POST', `/api/sessions/${id}/fork`, { prompts: 0 })
  await prompt(forked.id, 'publish')
  const again = async () =>
    (await server.json<{ questions: { id: string; session: string }[] }>('/api/questions')).questions.find(
      ({ session }) => session === forked.id,
    )
  await expect.poll(again, { interval: 20 }).toBeDefined()
  const { page } = await signIn(server)
  const answered = await call(
    'POST',
    `/api/questions/${(await again())!.id}/answer`,
    { answer: 'yes' },
    {
      authorization: '',
      ...page,
    },
  )
  expect(answered.status).toBe(200)
  expect((await idle(forked.id)).turns[0]!.response).toBe('It is done.')
  expect(existsSync(join(project, 'published'))).toBe(true)
})

it('what the agent wants to know is answered in words', async () => {
  const { id } = await create()
  await prompt(id, 'which colour')
  await expect.poll(async () => (await show(id)).asks[0]?.options, { interval: 20 }).toEqual(['red', 'blue'])
  const [ask] = (await show(id)).asks
  await call('POST', `/api/sessions/${id}/answer`, { id: ask!.id, text: 'blue' })
  expect((await idle(id)).turns[0]!.response).toContain('blue')
})

it('one turn at a time: others wait, steer or are refused, and a stopped turn stops what waits', async () => {
  const { id } = await create()
  const started = events(id, 1, '?types=agent.text')
  await prompt(id, 'be slow')
  expect((await prompt(id, 'and now')).status).toBe(409)
  await call('POST', `/api/sessions/${id}/follow-up`, { text: 'later' })
  await started
  expect((await call('POST', `/api/sessions/${id}/steer`, { text: 'left' })).status).toBe(202)
  expect((await call('POST', `/api/sessions/${id}/cancel`)).status).toBe(202)
  expect((await idle(id)).turns.map(({ state }) => state)).toEqual(['canceled', 'canceled'])
  await call('POST', `/api/sessions/${id}/follow-up`, { text: 'hello' })
  expect((await idle(id)).turns.at(-1)).toMatchObject({ state: 'completed' })
})

it('streams resume from any id, without gap or repetition', async () => {
  const { id } = await create()
  await prompt(id, 'hello')
  await idle(id)
  const last = (await events(id, 'turn.completed')).find(({ event }) => event === 'turn.completed')!.id
  // What its hooks did comes as soon as the journal is read, and then comes to everybody in the same order.
  await expect.poll(async () => (await events(id, 1, '?after=0&types=hook.completed')).length).toBe(1)
  const upTo = async (query?: string) => {
    const found = await events(id, 'turn.completed', query)
    return found.map((each) => each.id).filter((each) => Number(each) <= Number(last))
  }
  const all = await upTo()
  expect(new Set(all).size).toBe(all.length)
  for (const at of [0, 2, all.length - 2]) expect(await upTo(`?after=${all[at]}`)).toEqual(all.slice(at + 1))
})

it('a server that was killed goes on with its streams, and the turn that ran has failed', async () => {
  const { root } = server
  const env = { ...process.env, HOME: home, NO_COLOR: '1' }
  const serve = async () => {
    const args = ['serve', '--listen', '127.0.0.1:0', '--json', '--database', join(root, 'killed.db')]
    const { child } = startHookline([...args, '--journal', join(root, 'killed.jsonl')], { cwd: project, env })
    const line = await new Promise<string>((resolve) => child.stdout!.once('data', (data) => resolve(String(data))))
    return { child, ...(JSON.parse(line) as { url: string; token: string }) }
  }
  const first = await serve()
  const headers = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })
  const post = async (path: string, body: object, method = 'POST') =>
    (await fetch(first.url + path, { method, headers: headers(first.token), body: JSON.stringify(body) })).json()
  await post('/api/agents/painter', { project, rehearse: 'script.yaml' }, 'PUT')
  const { id } = (await post('/api/sessions', { agent: 'painter' })) as Session
  await post(`/api/sessions/${id}/prompt`, { text: 'be slow' })
  const before = await readStream(`${first.url}/api/sessions/${id}/events?after=0`, headers(first.token), 'agent.text')
  first.child.kill('SIGKILL')
  await new Promise((gone) => first.child.once('exit', gone))

  const second = await serve()
  onTestFinished(() => void second.child.kill('SIGKILL'))
  const read = (after: string) =>
    readStream(`${second.url}/api/sessions/${id}/events?after=${after}`, headers(second.token), 'turn.failed')
  const whole = await read('0')
  expect(whole.slice(0, before.length)).toEqual(before)
  expect(whole.at(-1)!.data).toMatchObject({ code: 'interrupted' })
  expect(await read(before[2]!.id)).toEqual(whole.slice(3))
})

it('deleting ends a session: hooks of its end run, and what was said is gone', async () => {
  const { id } = await create()
  await prompt(id, 'hello')
  await idle(id)
  const text = await (await server.get(`/api/sessions/${id}/export`)).text()
  expect(text).toContain('You said: hello')
  const before = existsSync(join(project, 'ended.txt')) ? readFileSync(join(project, 'ended.txt'), 'utf8').length : 0
  expect((await call('DELETE', `/api/sessions/${id}`)).status).toBe(200)
  expect(readFileSync(join(project, 'ended.txt'), 'utf8').length).toBeGreaterThan(before)
  expect((await server.get(`/api/sessions/${id}`)).status).toBe(404)
})

it('an agent token has sessions of its own and nothing else; a viewer prompts nobody', async () => {
  const token = async (role: string) =>
    (await call<{ secret: string }>('POST', '/api/tokens', { name: role, role })).body.secret
  const agent = { authorization: `Bearer ${await token('agent')}` }
  const viewer = { authorization: `Bearer ${await token('viewer')}` }
  const other = await create()
  const { body: own } = await call<Session>('POST', '/api/sessions', { agent: 'painter' }, agent)
  expect((await call('POST', `/api/sessions/${own.id}/prompt`, { text: 'hello' }, agent)).status).toBe(202)
  for (const path of ['', '/events', '/export'])
    expect((await server.get(`/api/sessions/${other.id}${path}`, agent)).status).toBe(404)
  expect((await call('POST', `/api/sessions/${other.id}/prompt`, { text: 'x' }, agent)).status).toBe(404)
  const listed = await (await server.get('/api/sessions', agent)).json()
  expect((listed as { sessions: Session[] }).sessions.map(({ id }) => id)).toEqual([own.id])
  expect((await server.get('/api/decisions', agent)).status).toBe(403)
  expect((await server.get(`/api/sessions/${own.id}`, viewer)).status).toBe(200)
  expect((await call('POST', `/api/sessions/${own.id}/prompt`, { text: 'x' }, viewer)).status).toBe(403)
  await idle(own.id)
})

it('an agent with fewer questions is for a person to define, and its files lie in its project', async () => {
  const define = (body: object) => call('PUT', '/api/agents/bold', { project, ...body })
  expect((await define({ permission_mode: 'yolo' })).status).toBe(403)
  expect((await define({ file: '../../etc/agent.yaml' })).status).toBe(422)
  expect((await call('PUT', '/api/agents/bold', { project: 'shop' })).status).toBe(422)
})

it('a bundle is registered once and assigned by administrators: its rules hold in sessions, what it runs once it is approved', async () => {
  const { page } = await signIn(server)
  const as = { authorization: '', ...page }
  const text = `name: team
rules:
  - { id: no-touch, deny: { run: touch }, because: Nothing is touched here. }
hooks:
  - { id: words, event: user_prompt_submit, run: 'grep -q swear && { echo "Mind your words." >&2; exit 2; }; exit 0' }
`
  expect(await call('POST', '/api/bundles', { text: 'name: team\nruls: []' })).toMatchObject({ status: 422 })
  expect(await call('POST', '/api/bundles', { text })).toMatchObject({
    status: 201,
    body: { name: 'team', hooks: ['team:words', 'team:no-touch'] },
  })
  // In the place of another it may be looser.
  expect((await call('POST', '/api/bundles', { text })).status).toBe(403)
  const use = [{ bundle: 'team' }]
  const assign = (body: object, headers?: Record<string, string>) =>
    call<{ waits: { id: string }[] }>('PUT', '/api/agents/painter/bundles', body, headers)
  const viewer = await call<{ secret: string }>('POST', '/api/tokens', { name: 'v', role: 'operator' })
  expect((await assign({ use }, { authorization: `Bearer ${viewer.body.secret}` })).status).toBe(403)
  expect(await assign({ use })).toMatchObject({ status: 200, body: { waits: [{ id: 'team:words' }] } })

  const swears = async () => {
    const { id } = await create()
    await prompt(id, 'I swear')
    return (await idle(id)).turns[0]!
  }
  // A guard that nobody has approved blocks what it would have judged.
  expect(await swears()).toMatchObject({ state: 'failed', user_message: expect.not.stringContaining('Mind') })
  expect((await assign({ use }, as)).body.waits).toEqual([])
  expect(await swears()).toMatchObject({ state: 'failed', user_message: expect.stringContaining('Mind your words.') })

  // Muting by pattern, and taking away, loosens.
  expect((await assign({ use, disabled: ['team:w*'] })).status).toBe(403)
  expect((await assign({ use: [] })).status).toBe(403)
  expect((await assign({ use, disabled: ['team:w*'] }, as)).status).toBe(200)
  expect(await swears()).toMatchObject({ state: 'completed' })
  expect((await call('DELETE', '/api/bundles/team', undefined, as)).status).toBe(409)
  await assign({ use: [] }, as)
  expect((await call('DELETE', '/api/bundles/team', undefined, as)).status).toBe(200)
})

it('hooks are switched off and muted by a person, and on again by any administrator', async () => {
  const { page } = await signIn(server)
  const as = { authorization: '', ...page }
  expect((await call('POST', '/api/hooks/switch', { on: false })).status).toBe(403)
  expect((await call('POST', '/api/hooks/switch', { on: false, minutes: 5 }, as)).status).toBe(200)
  expect(await server.json('/api/hooks/switch')).toMatchObject({ on: false, note: expect.stringContaining('off') })
  expect((await call('POST', '/api/hooks/switch', { on: true })).status).toBe(200)
  expect(await server.json('/api/hooks/switch')).toMatchObject({ on: true })

  const mute = { project, id: 'sure' }
  expect((await call('POST', '/api/hooks/mute', mute)).status).toBe(403)
  expect((await call('POST', '/api/hooks/mute', mute, as)).status).toBe(200)
  expect(readFileSync(join(project, 'hookline.yaml'), 'utf8')).toMatch(/disabled:\s+- sure/)
  expect((await call('POST', '/api/hooks/unmute', mute)).status).toBe(200)
  expect((await call('POST', '/api/hooks/unmute', mute)).status).toBe(404)
})
