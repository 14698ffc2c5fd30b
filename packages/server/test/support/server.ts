import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, vi } from 'vitest'
import { remove } from '../../../hookline/test/support/scratch.ts'
import { type RunningServer, type ServerOptions, startServer } from '../../src/index.ts'
import { startPostgres, type TestPostgres } from './postgres.ts'

/** A home of the tests' own: no server of a test sees the config, approvals or daemon of whoever runs it. */
export const home = mkdtempSync(join(tmpdir(), 'hookline-home-'))
beforeAll(() => {
  for (const name of ['XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME'])
    vi.stubEnv(name, join(home, name))
  vi.stubEnv('HOME', home)
})
afterAll(() => {
  vi.unstubAllEnvs()
  remove(home)
})

/** With `HOOKLINE_TEST_DATABASE=postgres`, servers of tests keep their store in a PostgreSQL: the same root, the same database. */
let postgres: Promise<TestPostgres> | undefined
const databases = new Map<string, Promise<string>>()
async function databaseOf(root: string): Promise<string> {
  if (process.env['HOOKLINE_TEST_DATABASE'] !== 'postgres') return join(root, 'index.db')
  postgres ??= startPostgres()
  const own = databases.get(root) ?? postgres.then((started) => started.database())
  databases.set(root, own)
  return own
}
afterAll(async () => (await postgres)?.stop())

export interface TestServer extends RunningServer {
  root: string
  journal: string
  /** As a program with the token of the run. */
  get(path: string, headers?: Record<string, string>): Promise<Response>
  json<T>(path: string): Promise<T>
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  /** Ends it and starts another on the same files. */
  again(): Promise<TestServer>
  end(): Promise<void>
}

/** One server of a process can keep turns in a PostgreSQL; those beside it do without. */
let keepsTurns = false

export async function openServer(
  root = mkdtempSync(join(tmpdir(), 'hookline-server-')),
  options: Partial<ServerOptions> = {},
): Promise<TestServer> {
  const journal = join(root, 'journal.jsonl')
  const database = options.database ?? (await databaseOf(root))
  const turns = keepsTurns ? ({ turns: false } as const) : {}
  const isKeeper = !keepsTurns && options.turns !== false
  keepsTurns ||= isKeeper
  const running = await startServer({ journal, cwd: root, ...turns, ...options, database })
  const close = async () => {
    await running.close()
    if (isKeeper) keepsTurns = false
  }
  const bearer = { authorization: `Bearer ${running.token}` }
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(running.url + path, { headers: { ...bearer, ...headers } })
  return {
    ...running,
    close,
    root,
    journal,
    get,
    json: async <T>(path: string) => (await get(path)).json() as Promise<T>,
    send: (method, path, body, headers = {}) =>
      fetch(running.url + path, {
        method,
        headers: { ...bearer, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    async again() {
      await close()
      return openServer(root)
    },
    async end() {
      await close()
      remove(root)
    },
  }
}

/** A browser that has opened the link: its cookie, and what its page sends along. */
export async function signIn({ url, signInUrl }: RunningServer) {
  const code = new URL(signInUrl()).hash.slice('#sign-in='.length)
  const response = await fetch(`${url}/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ code }),
  })
  const { proof } = (await response.json()) as { proof: string | null }
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';')
  const page = { cookie, origin: url, ...(proof !== null && { 'x-hookline-proof': proof }) }
  return { code, response, proof, cookie, page }
}

/** Reads a stream until so many messages have come, or one of this type. */
export async function readStream(
  url: string,
  headers: Record<string, string>,
  count: number | string,
): Promise<{ id: string; event: string; data: unknown }[]> {
  const leaving = new AbortController()
  const response = await fetch(url, { headers, signal: leaving.signal })
  const found: { id: string; event: string; data: unknown }[] = []
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop()!
    for (const block of blocks) {
      const field = (name: string) =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2)
      if (field('data') !== undefined)
        found.push({ id: field('id')!, event: field('event')!, data: JSON.parse(field('data')!) })
    }
    if (typeof count === 'number' ? found.length >= count : found.some(({ event }) => event === count)) break
  }
  leaving.abort()
  return typeof count === 'number'
    ? found.slice(0, count)
    : found.slice(0, found.findIndex(({ event }) => event === count) + 1)
}
