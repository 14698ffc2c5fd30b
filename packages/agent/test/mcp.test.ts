import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { request as ask } from 'node:http'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { mcpServerName } from 'hookline/internal'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serve } from '../../hookline/test/executors/http-server.ts'
import { missing } from '../../hookline/test/support/scratch.ts'
import { nameOf, serverNameOf } from '../src/tools/mcp/tool.ts'
import { bench } from './tools-support.ts'

/** The public reference server, from npm. */
const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
const overStdio = { type: 'mcp', name: 'everything', command: process.execPath, args: [everything, 'stdio'] }

/** Processes of that server with this in their environment. */
function servers(mark: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark)
      } catch {
        return false
      }
    })
}

describe('a server on stdin and stdout', () => {
  it('lends its tools, under its name', async () => {
    const { names, call, parse } = await bench([overStdio])
    expect(names()).toContain('mcp_everything_echo')
    expect(await call('mcp_everything_echo', { message: 'hello' })).toEqual({ content: 'Echo: hello' })
    expect((await call('mcp_everything_get-sum', { a: 2, b: 3 })).content).toMatch(/5/)
    expect(parse('mcp_everything_echo', {})).toBe('Missing: `message`.')
  })

  it('gets the variables of its toolset, without the keys of models', async () => {
    const options = { env: { ...process.env, OPENAI_API_KEY: 'sk-x', MINE: 'yes' } }
    const { call } = await bench([{ ...overStdio, env: { GIVEN: '$MINE' } }], {}, options)
    const { content } = await call('mcp_everything_get-env', {})
    expect(content).toMatch(/"GIVEN": "yes"/)
    expect(content).not.toMatch(/sk-x/)
  })

  it('a result of any length is whole, so that the file in which a long one is put aside has all of it', async () => {
    const { call } = await bench([overStdio])
    const message = `begins ${'x'.repeat(300_000)} ends`
    expect((await call('mcp_everything_echo', { message })).content).toBe(`Echo: ${message}`)
  })

  it('an error of a tool is an error result, and content that is not text is described', async () => {
    const { call } = await bench([overStdio])
    expect(await call('mcp_everything_get-sum', { a: 'x', b: {} })).toMatchObject({ error: true })
    expect((await call('mcp_everything_get-tiny-image', {})).content).toMatch(/\(image\/png, [\d.]+ \w+\)/)
  })

  it('long work is shown, and stops when it is canceled', async () => {
    const { call } = await bench([overStdio])
    const stop = new AbortController()
    setTimeout(() => stop.abort(new Error('canceled')), 600)
    const work = call(
      'mcp_everything_trigger-long-running-operation',
      { duration: 30, steps: 100 },
      { signal: stop.signal },
    )
    expect(await work).toMatchObject({ content: 'canceled', error: true })
  })

  it('closing it leaves no process, even behind a wrapper that does not pass signals on', async () => {
    const mark = `MCP_TEST_MARK=${process.pid}-wrapped`
    const [key = '', value = ''] = mark.split('=')
    const command = { command: 'bash', args: ['-c', `trap "" TERM; "${process.execPath}" "${everything}" stdio; true`] }
    const { close, call } = await bench([{ ...overStdio, ...command, env: { [key]: value } }])
    expect((await call('mcp_everything_echo', { message: 'x' })).content).toBe('Echo: x')
    expect(servers(mark).length).toBeGreaterThan(1)
    await close()
    await expect.poll(() => servers(mark)).toEqual([])
  })

  it('one that dies is a warning, and the next call starts it again', async () => {
    const mark = `MCP_TEST_MARK=${process.pid}-dies`
    const [key = '', value = ''] = mark.split('=')
    const { call, notes } = await bench([{ ...overStdio, env: { [key]: value } }])
    for (const pid of servers(mark)) process.kill(pid, 'SIGKILL')
    await expect.poll(() => notes.map(({ code }) => code)).toEqual(['mcp-server-lost'])
    expect((await call('mcp_everything_echo', { message: 'again' })).content).toBe('Echo: again')
  })

  it('one that dies during a call fails that call', async () => {
    const mark = `MCP_TEST_MARK=${process.pid}-during`
    const [key = '', value = ''] = mark.split('=')
    const { call } = await bench([{ ...overStdio, env: { [key]: value } }])
    const work = call('mcp_everything_trigger-long-running-operation', { duration: 30, steps: 2 })
    await delay(300)
    for (const pid of servers(mark)) process.kill(pid, 'SIGKILL')
    expect(await work).toMatchObject({
      error: true,
      content: expect.stringMatching(/^The MCP server everything failed/),
    })
  })
})

describe('a server that cannot start is a warning, and does not stop the agent', () => {
  it.each<[string, object, RegExp]>([
    ['no such program', { command: missing('server') }, /ENOENT/],
    ['one that ends at once', { command: 'bash', args: ['-c', 'echo no licence >&2; exit 1'] }, /no licence/],
    [
      'one that never answers',
      { command: 'sleep', args: ['60'], lifecycle: { startup_timeout: '500ms' } },
      /did not answer/,
    ],
    ['a reference to Docker’s gateway', { ref: 'docker:duckduckgo' }, /needs Docker’s MCP gateway/],
    ['nothing at all', {}, /neither a `command` nor a `remote\.url`/],
    [
      'an address of this machine',
      { remote: { url: 'http://127.0.0.1:8099/mcp' } },
      /127\.0\.0\.1 is .* not a public one.*allow_private_ips/,
    ],
    ['no URL', { remote: { url: 'nonsense' } }, /is not a URL/],
  ])('%s', async (_, spec, detail) => {
    const { notes, names } = await bench([{ type: 'mcp', ...spec }, 'think'])
    expect(notes).toMatchObject([{ code: 'toolset-failed', message: expect.stringMatching(detail) }])
    expect(names()).toEqual(['think'])
  })
})

describe('a server over HTTP', () => {
  let url = ''
  let child: ReturnType<typeof spawn>
  beforeAll(async () => {
    const free = createServer().listen(0, '127.0.0.1')
    await once(free, 'listening')
    const { port } = free.address() as { port: number }
    await new Promise((resolve) => free.close(resolve))
    child = spawn(process.execPath, [everything, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    for await (const chunk of child.stderr ?? []) if (/listening/i.test(String(chunk))) break
    url = `http://127.0.0.1:${port}/mcp`
  })
  afterAll(() => child.kill('SIGKILL'))

  it('lends its tools when this machine is allowed', async () => {
    const { call, notes } = await bench([{ type: 'mcp', name: 'web', remote: { url }, allow_private_ips: true }])
    expect(notes).toEqual([])
    expect(await call('mcp_web_echo', { message: 'over HTTP' })).toEqual({ content: 'Echo: over HTTP' })
  })

  it('and not when it may not be allowed', async () => {
    const spec = { type: 'mcp', name: 'web', remote: { url }, allow_private_ips: true }
    const { notes, names } = await bench([spec], {}, { allowLocal: false })
    expect(names()).toEqual([])
    expect(notes).toMatchObject([{ code: 'private-ips-refused' }, { code: 'toolset-failed' }])
  })

  it('shows only the named tools', async () => {
    const spec = { type: 'mcp', name: 'web', remote: { url }, allow_private_ips: true, tools: ['echo'] }
    expect((await bench([spec])).names()).toEqual(['mcp_web_echo'])
  })

  it('gets a key from the environment; without one, the error says what to do', async () => {
    const port = await serve((request, response) => {
      if (request.headers.authorization !== 'Bearer s3same') return void response.writeHead(401).end()
      const { method, headers } = request
      const onward = ask(url, { method, headers: { ...headers, host: new URL(url).host } }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      })
      request.pipe(onward)
    })
    const remote = { url: `http://127.0.0.1:${port}/mcp`, headers: { Authorization: `Bearer ${'$'}{env.DOOR_KEY}` } }
    const spec = { type: 'mcp', name: 'web', remote, allow_private_ips: true }
    const { call, notes } = await bench([spec], {}, { env: { ...process.env, DOOR_KEY: 's3same' } })
    expect(notes).toEqual([])
    expect(await call('mcp_web_echo', { message: 'hi' })).toEqual({ content: 'Echo: hi' })
    const refused = await bench([spec])
    expect(refused.notes).toMatchObject([{ code: 'toolset-failed', message: expect.stringMatching(/remote\.headers/) }])
  })

  it('a redirect to another place is not followed', async () => {
    let requests = 0
    const elsewhere = await serve((_, response) => {
      requests++
      response.end()
    })
    const port = await serve((_, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${elsewhere}/mcp` })
      response.end()
    })
    const spec = { type: 'mcp', remote: { url: `http://127.0.0.1:${port}/mcp` }, allow_private_ips: true }
    const { notes } = await bench([spec])
    expect(notes).toMatchObject([{ code: 'toolset-failed' }])
    expect(requests).toBe(0)
  })
})

describe('what a server sends later', () => {
  /** Nothing but JSON-RPC: each call of its tool makes another one. */
  const growing = `
    let tools = [{ name: 'grow', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }]
    const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
    require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line)
      const capabilities = { tools: { listChanged: true } }
      if (method === 'initialize')
        say({ id, result: { protocolVersion: params.protocolVersion, capabilities, serverInfo: { name: 'g', version: '1' } } })
      if (method === 'tools/list') say({ id, result: { tools } })
      if (method !== 'tools/call') return
      tools = [...tools, { name: 'grown' + tools.length, inputSchema: { type: 'object' } }]
      say({ method: 'notifications/tools/list_changed' })
      say({ id, result: { content: [{ type: 'text', text: 'ok' }] } })
    })`
  const server = { type: 'mcp', name: 'g', command: process.execPath, args: ['-e', growing] }

  it('its list of tools is the one it gave last', async () => {
    const { names, call } = await bench([server])
    expect(names()).toEqual(['mcp_g_grow'])
    await call('mcp_g_grow', {})
    await expect.poll(names).toEqual(['mcp_g_grow', 'mcp_g_grown1'])
  })

  it('which calls only read is its own word, and counts for nothing until the user said so', async () => {
    const doubted = await bench([server])
    expect(doubted.readOnly('mcp_g_grow', {})).toBe(false)
    const { readOnly, call, names } = await bench([{ ...server, trust_readonly_hint: true }])
    await call('mcp_g_grow', {})
    await expect.poll(names).toHaveLength(2)
    expect(readOnly('mcp_g_grow', {})).toBe(true)
    expect(readOnly('mcp_g_grown1', {})).toBe(false)
  })
})

describe('names', () => {
  it('fit what providers take, and stay distinct', () => {
    const long = 'x'.repeat(80)
    expect(nameOf('s', 'get thing')).toBe('mcp_s_get_thing')
    expect(nameOf('s', `${long}1`)).toHaveLength(64)
    expect(nameOf('s', `${long}1`)).not.toBe(nameOf('s', `${long}2`))
  })

  it.each([
    ['@modelcontextprotocol/server-everything', 'everything'],
    ['@modelcontextprotocol/server-everything@2026.8.31', 'everything'],
    ['/a/node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'everything'],
    ['mcp-server-git', 'git'],
    ['github-mcp-server', 'github'],
    ['linear.app', 'linear'],
    ['My Server!', 'my_server'],
    ['/usr/bin/python3', 'python3'],
  ])('a server is called after its package: %s is %s', (source, name) => {
    expect(mcpServerName(source)).toBe(name)
  })
})

it('a server that is only a reference is called after it, and one that says nothing is still called something', () => {
  expect(serverNameOf({ type: 'mcp', ref: 'docker:duckduckgo' })).toBe('duckduckgo')
  expect(serverNameOf({ type: 'mcp' })).toBe('server')
})
