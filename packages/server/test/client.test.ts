import { afterAll, beforeAll, expect, expectTypeOf, it } from 'vitest'
import { operations } from '../src/client/api.ts'
import { createClient, Refused, type StreamMessage } from '../src/client.ts'
import { routes } from '../src/routes/index.ts'
import { entry, write } from './support/journal.ts'
import { openServer, type TestServer } from './support/server.ts'

let server: TestServer
let client: ReturnType<typeof createClient>
beforeAll(async () => {
  server = await openServer()
  client = createClient(server)
})
afterAll(() => server.end())

it('has a method for every route, and each takes and gives what the route does', async () => {
  expect(Object.keys(client).sort()).toEqual(Object.keys(routes).sort())
  for (const [name, { method, path }] of Object.entries(operations)) {
    const route = routes[name]!
    expect([method, path]).toEqual([route.method.toUpperCase(), route.path.replace(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')])
  }
  const { name, role } = await client.me()
  expectTypeOf(role).toEqualTypeOf<'agent' | 'viewer' | 'operator' | 'admin'>()
  expect([name, role]).toEqual(['the token of this run', 'admin'])
})

it('asks, changes and is refused as the server says', async () => {
  await write(server.journal, [entry('git push --force origin main'), entry('git status')])
  const blocked = async () => (await client.listDecisions({ query: { mark: 'blocked', limit: 5 } })).decisions
  await expect.poll(async () => (await blocked()).length).toBe(1)
  const [first] = await blocked()
  expectTypeOf(first!.reason).toEqualTypeOf<string | null>()
  const whole = await client.showDecision({ params: { id: first!.id } })
  expect(whole.decision.subject).toBe('git push --force origin main')
  const body = { name: 'a program', role: 'viewer' } as const
  const made = await client.makeToken({ body }, { idempotencyKey: 'once' })
  expect(await client.makeToken({ body }, { idempotencyKey: 'once' })).toEqual(made)
  const weak = createClient({ url: server.url, token: made.secret })
  const refused = await weak.makeToken({ body }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(Refused)
  expect(refused).toMatchObject({ status: 403, code: 'role-too-weak', remedy: expect.stringMatching(/\S/) })
  expect(await client.metrics()).toContain('hookline_up_seconds')
  // @ts-expect-error: a name that no parameter has
  void (() => client.listDecisions({ query: { marks: 'blocked' } }))
  // @ts-expect-error: what must be given is missing
  void (() => client.showDecision())
  // @ts-expect-error: no such role
  void (() => client.makeToken({ body: { name: 'x', role: 'root' } }))
})

it('a stream goes on after the connection broke, without gap or repetition, and ends when it is left or refused', async () => {
  const leaving = new AbortController()
  const broken: AbortController[] = []
  /** A network that can be cut. */
  const cuttable: typeof fetch = (input, init = {}) => {
    const cut = new AbortController()
    broken.push(cut)
    return fetch(input, { ...init, signal: AbortSignal.any([cut.signal, ...(init.signal ? [init.signal] : [])]) })
  }
  const stream = createClient({ ...server, fetch: cuttable }).events(
    { query: { types: 'decision', session: 's1' } },
    leaving,
  )
  expectTypeOf(stream).toEqualTypeOf<AsyncGenerator<StreamMessage>>()
  const read: string[] = []
  const take = async () => {
    const { value } = await stream.next()
    read.push((value!.data as { subject: string }).subject)
  }
  const first = take()
  await expect.poll(async () => (await client.metrics()).includes('hookline_streams 1')).toBe(true)
  await write(server.journal, [entry('echo 1'), entry('echo 2')])
  await first
  await take()
  broken[0]!.abort()
  await write(server.journal, [entry('echo 3')])
  await take()
  expect(read).toEqual(['echo 1', 'echo 2', 'echo 3'])
  const last = stream.next()
  leaving.abort()
  expect((await last).done).toBe(true)
  const stranger = createClient({ url: server.url, token: 'wrong' }).events()
  await expect(stranger.next()).rejects.toMatchObject({ status: 401 })
})
