import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { remove } from '../../hookline/test/support/scratch.ts'
import { mustBeSafe } from '../src/http/listen.ts'
import { type ServerOptions, startServer } from '../src/index.ts'
import { routes } from '../src/routes/index.ts'
import { openServer, signIn, type TestServer } from './support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await openServer()
})
afterAll(() => server.end())

/** As raw bytes: what `fetch` would not send. */
const raw = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    const socket = createConnection(Number(port), hostname, () => socket.end(text))
    let answer = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer)).on('error', reject)
  })

const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code

describe('who may use the server', () => {
  it('nobody without a token, with a wrong one, or with a cookie that was signed out', async () => {
    const { cookie, page } = await signIn(server)
    const attempt = (headers: Record<string, string>) => fetch(`${server.url}/api/me`, { headers })
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { cookie: `${cookie}x` }]) {
      const response = await attempt(headers as Record<string, string>)
      expect(response.status).toBe(401)
      expect(await codeOf(response)).toBe('sign-in-needed')
    }
    expect((await attempt({ cookie })).status).toBe(200)
    await fetch(`${server.url}/api/sign-out`, { method: 'POST', headers: page })
    expect((await attempt({ cookie })).status).toBe(401)
  })

  it('a sign-in link works once, and leaves a cookie that no page reads, no other site uses and no disk keeps', async () => {
    const { code, response } = await signIn(server)
    const cookie = response.headers.get('set-cookie')!
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/)
    const again = await server.send('POST', '/api/sign-in', { code })
    expect(await codeOf(again)).toBe('sign-in-failed')
    expect(server.signInUrl()).not.toContain('?')
  })

  it('no name but its own, so that no other name can be made to lead here', async () => {
    for (const host of ['evil.example', '127.0.0.1', '127.0.0.1:1', ''])
      expect(await raw(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 4\d\d/,
      )
    const port = new URL(server.url).port
    expect(await raw(`GET /healthz HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`)).toContain(
      '200 OK',
    )
  })

  it('no page of another site, whatever it carries', async () => {
    const { cookie } = await signIn(server)
    const session = { cookie, 'content-type': 'application/json' }
    const attempts: Record<string, string>[] = [
      {},
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: `http://127.0.0.1:${Number(new URL(server.url).port) + 1}` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of attempts) {
      const body = JSON.stringify({ name: 'x', role: 'admin' })
      const response = await fetch(`${server.url}/api/tokens`, {
        method: 'POST',
        headers: { ...session, ...headers },
        body,
      })
      expect(response.status).toBe(403)
    }
    // A form of another page can send no JSON.
    const form = await server.send('POST', '/api/tokens', undefined, { 'content-type': 'text/plain' })
    expect(form.status).toBe(415)
  })

  it('each role no more than its own, and a token no longer than it is wanted', async () => {
    const made = await server.send('POST', '/api/tokens', { name: 'grafana', role: 'viewer' })
    expect(made.status).toBe(201)
    const { secret, token } = (await made.json()) as { secret: string; token: { id: string } }
    const as = { authorization: `Bearer ${secret}` }
    expect((await server.get('/api/decisions', as)).status).toBe(200)
    const refused = await server.get('/api/tokens', as)
    expect([refused.status, await codeOf(refused)]).toEqual([403, 'role-too-weak'])
    expect(JSON.stringify(await server.json('/api/tokens'))).not.toContain(secret)
    const stream = await fetch(`${server.url}/api/events`, { headers: as })
    await server.send('DELETE', `/api/tokens/${token.id}`)
    expect((await server.get('/api/decisions', as)).status).toBe(401)
    // What it had opened ends with it.
    await expect(stream.text()).rejects.toThrow()
    const audited = async () => {
      const { decisions } = await server.json<{ decisions: { id: number }[] }>('/api/decisions?all=true&text=grafana')
      const entries = decisions.map(({ id }) => server.get(`/api/decisions/${id}`).then((one) => one.text()))
      return (await Promise.all(entries)).join()
    }
    await expect.poll(audited).toContain('made the token grafana')
    expect(await audited()).not.toContain(secret)
  })

  it('nothing is done twice that is sent twice under one key', async () => {
    const send = (name: string) =>
      server.send('POST', '/api/tokens', { name, role: 'viewer' }, { 'idempotency-key': 'k1' })
    const [first, second] = [await (await send('once')).text(), await send('once')]
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(await second.text()).toBe(first)
    expect((await send('other')).status).toBe(422)
    // The answer holds a secret: no file has it.
    const { secret } = JSON.parse(first) as { secret: string }
    for (const file of readdirSync(server.root)) expect(readFileSync(join(server.root, file))).not.toContain(secret)
  })

  it('nothing that nothing encrypts, whatever it is called outside', () => {
    const at = (host: string, url?: string) => () =>
      mustBeSafe({ host, port: 1 }, undefined, url === undefined ? undefined : new URL(url))
    expect(at('0.0.0.0')).toThrow('nothing would encrypt')
    expect(at('127.0.0.1', 'http://hookline.example.com')).toThrow('nothing would encrypt')
    expect(at('0.0.0.0', 'http://hookline.example.com')).toThrow('nothing would encrypt')
    expect(at('127.0.0.1', 'http://localhost:8080')).not.toThrow()
    expect(at('0.0.0.0', 'https://hookline.example.com')).not.toThrow()
  })
})

describe('what it does not take', () => {
  it('bodies that are too large, however they come', async () => {
    const large = JSON.stringify({ code: 'x'.repeat(2 * 1024 * 1024) })
    expect((await server.send('POST', '/api/tokens', { name: large, role: 'viewer' })).status).toBe(413)
    const { port } = new URL(server.url)
    const head = `POST /api/tokens HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${server.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`
    expect(await raw(`${head}${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413/)
  })

  it('bodies that are nested deeper than anything reads', async () => {
    const nested = JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`)
    const response = await server.send('POST', '/api/explain', { given: { tool: 'shell', input: { command: nested } } })
    expect([response.status, await codeOf(response)]).toEqual([400, 'request-invalid'])
  })

  // They never come as far as the store.
  it.skipIf(process.env['HOOKLINE_TEST_DATABASE'])(
    'who sends slowly: they are cut off, and others are answered meanwhile',
    async () => {
      const { hostname, port } = new URL(server.url)
      const slow = Array.from({ length: 50 }, () => {
        const socket = createConnection(Number(port), hostname, () => socket.write('GET /api/me HTTP/1.1\r\nHost: x'))
        return new Promise<void>((gone) =>
          socket
            .resume()
            .on('close', () => gone())
            .on('error', () => {}),
        )
      })
      expect((await server.get('/api/me')).status).toBe(200)
      await Promise.all(slow)
    },
  )

  it('paths that lead out of its own files', async () => {
    const { port } = new URL(server.url)
    for (const path of [
      '/../package.json',
      '/..%2f..%2fpackage.json',
      '/assets/%2e%2e/%2e%2e/index.js',
      '/%00',
      '//etc/passwd.js',
    ])
      expect(await raw(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)).not.toMatch(
        /"name":|root:/,
      )
  })

  it('values that its own description does not allow: each is a 400 with what to do, never a mistake of the server', async () => {
    const document = await server.json<Document>('/api/openapi.json')
    for (const [path, operations] of Object.entries(document.paths))
      for (const [method, { parameters, requestBody, operationId }] of Object.entries(operations)) {
        // Who is no machine is refused before anything is read.
        if (routes[operationId]!.needs === 'machine') continue
        const wrong = parameters.filter(({ schema }) => schema.type === 'integer' || schema.enum || schema.pattern)
        for (const { name, in: place } of wrong) {
          const at = path.replace(/\{\w+\}/g, 'no%20such%20thing')
          const query = place === 'query' ? `?${name}=no%20such%20thing` : ''
          const response = await server.send(method, at + query, requestBody ? {} : undefined)
          expect(response.status, `${method} ${at}${query}`).toBe(400)
          // Which one, and what it must be.
          expect((await response.json()) as object).toMatchObject({
            title: expect.stringMatching(/`\w+` (?:must be|is) /),
          })
        }
        if (!requestBody) continue
        const response = await server.send(method, path.replace(/\{\w+\}/g, '1'), { wrong: true })
        expect(response.status, `${method} ${path}`).toBe(400)
        expect(await response.json()).toMatchObject({ code: 'request-invalid', remedy: expect.any(String) })
      }
  })
})

describe('its OpenAPI document', () => {
  it('has every route of the table, and every answer is what it says', async () => {
    const document = await server.json<Document>('/api/openapi.json')
    const described = Object.values(document.paths).flatMap((each) => Object.values(each).map((one) => one.operationId))
    expect(described.sort()).toEqual(Object.keys(routes).sort())
    for (const { method, path, answer, type, needs } of Object.values(routes)) {
      if (needs === 'machine' || method !== 'get' || path.includes(':') || type !== undefined) continue
      const response = await server.get(path)
      expect(response.status, path).toBe(200)
      expect(answer.safeParse(await response.json()), path).toMatchObject({ success: true })
    }
  })
})

it('sends security headers with everything, refusals included', async () => {
  for (const path of ['/healthz', '/api/decisions', '/nothing/here.js']) {
    const { headers } = await fetch(server.url + path)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
})

it('slows down who guesses', async () => {
  const own = await openServer()
  const guess = () =>
    fetch(`${own.url}/api/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: 'guess' }),
    })
  const statuses: number[] = []
  for (let count = 0; count < 12; count++) statuses.push((await guess()).status)
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401))
  // And nobody else: who has the code comes in.
  expect((await signIn(own)).response.status).toBe(200)
  const last = await guess()
  expect([last.status, Number(last.headers.get('retry-after')) > 0]).toEqual([429, true])
  await own.end()
})

interface Document {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string
        parameters: { name: string; in: string; schema: { type?: string; enum?: unknown; pattern?: string } }[]
        requestBody?: unknown
      }
    >
  >
}

it('what it cannot start with is named, with what to do', async () => {
  const root = mkdtempSync(join(tmpdir(), 'hookline-start-'))
  onTestFinished(() => remove(root))
  writeFileSync(join(root, 'text.db'), 'This is a letter, and no store of anything.')
  writeFileSync(join(root, 'no.pem'), 'no certificate')
  const [text, pem, gone] = [join(root, 'text.db'), join(root, 'no.pem'), join(root, 'gone/index.db')]
  const wrong: [Partial<ServerOptions>, string, string][] = [
    [{ database: text }, 'database-file', text],
    [{ database: gone }, 'database-file', gone],
    [{ database: root }, 'database-file', root],
    [{ tls: { cert: gone, key: gone } }, 'server-file', gone],
    [{ tls: { cert: pem, key: pem } }, 'server-file', pem],
    // Of documents, and of no machine.
    [
      { listen: { host: '192.0.2.1', port: 0 }, publicUrl: new URL('https://x.example') },
      'server-address',
      '192.0.2.1',
    ],
    [{ listen: { host: '127.0.0.1', port: Number(new URL(server.url).port) } }, 'server-taken', '127.0.0.1'],
  ]
  const usual = { database: join(root, 'index.db'), journal: join(root, 'journal.jsonl') }
  for (const [options, code, named] of wrong)
    await expect(startServer({ ...usual, ...options })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(named),
    })
})
