import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { entry, write } from './support/journal.ts'
import { openServer, readStream, type TestServer } from './support/server.ts'

interface Listed {
  decisions: { id: number; seq: number; subject: string; mark: string; host: string }[]
  next: number | null
}

describe('the decisions of a journal', () => {
  let server: TestServer
  const list = (query = '') => server.json<Listed>(`/api/decisions${query}`)
  const found = async (query: string) => (await list(query)).decisions.map(({ subject }) => subject)

  beforeAll(async () => {
    server = await openServer()
    await write(server.journal, [
      ...['npm test', 'git push --force origin main', 'git status'].map((command) => entry(command)),
      entry('npm publish', { session_id: 's2', project: '/srv/api', host: { name: 'codex' } }),
      entry('ls', { synthetic: true }),
    ])
    await vi.waitFor(async () => expect((await list()).decisions).toHaveLength(4), { timeout: 60_000 })
  })
  afterAll(() => server.end())

  it('are listed newest first, without trials', async () => {
    expect(await found('')).toEqual(['npm publish', 'git status', 'git push --force origin main', 'npm test'])
    expect(await found('?all=true')).toContain('shell ls')
  })

  it('are found by session, host, project, tool, rule, hook, mark, outcome, words and time', async () => {
    expect(await found('?session=s2')).toEqual(['npm publish'])
    expect(await found('?host=codex')).toEqual(['npm publish'])
    expect(await found('?project=/srv/api')).toEqual(['npm publish'])
    expect(await found('?rule=no-force')).toEqual(['git push --force origin main'])
    expect(await found('?mark=blocked&tool=shell&hook=rules')).toEqual(['git push --force origin main'])
    expect(await found('?outcome=deny')).toHaveLength(1)
    expect(await found('?text=git')).toEqual(['git status', 'git push --force origin main'])
    expect(await found('?text=push%20--for')).toEqual(['git push --force origin main'])
    expect(await found(`?text=${encodeURIComponent('" OR 1 -- *')}`)).toEqual([])
    expect(await found('?until=2020-01-01')).toEqual([])
    expect(await found('?since=2020-01-01')).toHaveLength(4)
  })

  it('come in pages that neither overlap nor leave anything out', async () => {
    const pages: string[] = []
    for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null; ) {
      const page: Listed = await list(`?limit=3&before=${before}`)
      pages.push(...page.decisions.map(({ subject }) => subject))
      before = page.next
    }
    expect(pages).toEqual(await found(''))
  })

  it('are exported byte for byte as they stand in the journal, or as events of OCSF', async () => {
    expect(await (await server.get('/api/journal/export')).text()).toBe(readFileSync(server.journal, 'utf8'))
    expect(await (await server.get('/api/journal/export?until=2020-01-01')).text()).toBe('')
    const found = (await (await server.get('/api/journal/export?mark=blocked')).text()).trim().split('\n')
    expect(found.length).toBeGreaterThan(0)
    for (const line of found) expect(JSON.parse(line)).toMatchObject({ outcome: 'deny' })
    const lines = (await (await server.get('/api/journal/export?format=ocsf')).text()).trim().split('\n')
    const events = lines.map((line) => JSON.parse(line))
    expect(events).toHaveLength(5)
    expect(events[1]).toMatchObject({
      ...{ class_uid: 6003, type_uid: 600_399, disposition_id: 2, message: 'shell git push --force origin main' },
      firewall_rule: { name: 'no-force' },
    })
  })

  it('are not sent again to who has them', async () => {
    const first = await server.get('/api/decisions')
    const etag = first.headers.get('etag')!
    expect((await server.get('/api/decisions', { 'if-none-match': etag })).status).toBe(304)
    expect((await server.get('/api/decisions?limit=1', { 'if-none-match': etag })).status).toBe(200)
  })

  it('are whole one by one, as the journal has them', async () => {
    const [, , blocked] = (await list()).decisions
    const whole = await server.json<{ line: string; entry: { decision: unknown; hooks: unknown[]; payload: unknown } }>(
      `/api/decisions/${blocked!.id}`,
    )
    expect(whole.line).toBe('as-indexed')
    expect(whole.entry.decision).toEqual({ ruling: 'deny', reason: 'Force pushes are off limits here.' })
    expect(whole.entry.hooks).toHaveLength(1)
    expect((await server.get('/api/decisions/999999')).status).toBe(404)
  })

  it('are counted, and counted in steps of time', async () => {
    const stats = await server.json<Record<string, unknown>>('/api/stats')
    expect(stats).toMatchObject({
      decisions: { blocked: 1, quiet: 3 },
      failed_open: 0,
      duration_ms: { p50: 2, p99: 2 },
    })
    expect(stats['rules']).toMatchObject([{ rule: 'no-force', matches: 1, denied: 1 }])
    const { points } = await server.json<{ points: { counts: Record<string, number> }[] }>('/api/stats/series')
    expect(points.reduce((sum, { counts }) => sum + (counts['blocked'] ?? 0), 0)).toBe(1)
  })

  it('are streamed from any id on, hooks included, without gap or repetition', async () => {
    const headers = { authorization: `Bearer ${server.token}` }
    const url = `${server.url}/api/events?types=decision,hook.*`
    const whole = (await readStream(`${url}&after=0`, headers, 16)).map(({ id }) => id)
    expect(whole).toHaveLength(new Set(whole).size)
    for (const at of [0, 3, whole.length - 2]) {
      const rest = await readStream(url, { ...headers, 'last-event-id': whole[at]! }, whole.length - at - 1)
      expect(rest.map(({ id }) => id)).toEqual(whole.slice(at + 1))
    }
    const blocked = await readStream(`${server.url}/api/events?types=hook.blocked&after=0`, headers, 1)
    expect(blocked[0]).toMatchObject({ event: 'hook.blocked', data: { hook_id: 'rules', session_id: 's1' } })
  })
})

describe('the index', () => {
  it('goes on where it was after a restart, through rotation, and repeats nothing', async () => {
    let server = await openServer()
    onTestFinished(() => server.end())
    const commands = Array.from({ length: 30 }, (_, at) => `echo ${at}`)
    await write(
      server.journal,
      commands.slice(0, 10).map((each) => entry(each)),
      { maxBytes: 2_000 },
    )
    const count = async () => (await server.json<Listed>('/api/decisions?limit=500')).decisions.length
    await expect.poll(count).toBe(10)
    await server.close()
    await write(
      server.journal,
      commands.slice(10).map((each) => entry(each)),
      { maxBytes: 2_000 },
    )
    server = await openServer(server.root)
    await expect.poll(count).toBe(30)
    const { decisions } = await server.json<Listed>('/api/decisions?limit=500')
    expect(decisions.map(({ subject }) => subject).reverse()).toEqual(commands)
    const verified = await (await server.send('POST', '/api/journal/verify')).json()
    expect(verified).toMatchObject({ status: 'intact' })
  })

  it('shows what somebody has changed in the journal, before and after it was read', async () => {
    const server = await openServer()
    onTestFinished(() => server.end())
    await write(server.journal, [entry('git push --force'), entry('npm test'), entry('git status')])
    const list = () => server.json<Listed>('/api/decisions')
    await expect.poll(async () => (await list()).decisions.length).toBe(3)
    const text = readFileSync(server.journal, 'utf8')
    writeFileSync(server.journal, text.replace('npm test', 'npm rest'))
    const changed = (await list()).decisions[1]!
    expect(await server.json(`/api/decisions/${changed.id}`)).toMatchObject({ line: 'changed' })
    const verified = await (await server.send('POST', '/api/journal/verify')).json()
    expect(verified).toMatchObject({ status: 'tampered', at: changed.seq })

    const later = await openServer()
    onTestFinished(() => later.end())
    writeFileSync(later.journal, text.replace('npm test', 'npm rest'))
    await expect.poll(() => later.json('/api/journal')).toMatchObject({ entries: 3, broken: { seq: changed.seq } })
  })
})

it('are there from the first moment; what needs more than the store waits, and a server that cannot be loaded ends', async () => {
  const first = await openServer()
  await write(first.journal, [entry('npm test')])
  await vi.waitFor(async () => expect((await first.json<Listed>('/api/decisions')).decisions).toHaveLength(1))
  await first.close()
  let give!: (journal: string) => void
  const journal = new Promise<string>((resolve) => {
    give = resolve
  })
  const early = new Promise<RunningServer>((onListening) => {
    void openServer(first.root, { journal: () => journal, onListening }).then((server) => onTestFinished(server.end))
  })
  const { url, token } = await early
  const get = (path: string) => fetch(url + path, { headers: { authorization: `Bearer ${token}` } })
  let isLoaded = false
  const health = get('/healthz').then((response) => {
    isLoaded = true
    return response.json()
  })
  expect(((await (await get('/api/decisions')).json()) as Listed).decisions).toMatchObject([{ subject: 'npm test' }])
  // Behind the same checks as ever.
  const list = `${url}/api/decisions`
  const headers = { authorization: `Bearer ${token}` }
  const known = await fetch(list, { headers })
  expect(known.headers.get('content-security-policy')).toContain("default-src 'none'")
  const refused = {
    'nobody without a token': [fetch(list), 401],
    'no page of another site': [fetch(list, { headers: { ...headers, origin: 'https://evil.example' } }), 403],
    'no words that it does not know': [fetch(`${list}?limit=-1`, { headers }), 400],
    'what is known already': [
      fetch(list, { headers: { ...headers, 'if-none-match': known.headers.get('etag')! } }),
      304,
    ],
  } as const
  for (const [what, [response, status]] of Object.entries(refused)) expect((await response).status, what).toBe(status)
  expect(await (await fetch(list)).json()).toMatchObject({ code: 'sign-in-needed', remedy: expect.any(String) })
  expect(isLoaded).toBe(false)
  give(first.journal)
  expect(await health).toEqual({ status: 'ok' })
  const broken = openServer(undefined, { journal: () => Promise.reject(new Error('no journal')) })
  await expect(broken).rejects.toThrow('no journal')
})
