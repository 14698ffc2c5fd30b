import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { makeToken } from 'hookline/internal'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { binary, hookline, nobody, startHookline, unmarked } from '../../../hookline/test/support/cli.ts'
import { remove, scratch } from '../../../hookline/test/support/scratch.ts'

/** The public server with one of everything, as it is and behind the guard. */
const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
const cwd = mkdtempSync(join(tmpdir(), 'hookline-mcp-'))
writeFileSync(
  join(cwd, 'hookline.yaml'),
  'version: 1\nuse: [secrets]\nrules:\n  - deny: { tool: mcp__everything__echo, where: { message: { matches: forbidden } } }\n    because: Not that word.\n',
)
let plain: Client
let guarded: Client

beforeAll(async () => {
  ;[plain, guarded] = await Promise.all([
    connect([everything, 'stdio']),
    connect([binary, 'mcp', '--', process.execPath, everything, 'stdio']),
  ])
})
afterAll(async () => {
  await Promise.all([plain?.close(), guarded?.close()])
  await remove(cwd)
})

async function connect(args: string[]): Promise<Client> {
  const env = { ...unmarked(process.env), ...nobody, KEY_FOR_TEST: `AKIA${'QWERTYUIOPASDFGH'}` }
  return open(new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: 'ignore' }))
}

async function open(transport: Parameters<Client['connect']>[0]): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: { sampling: {}, elicitation: {}, roots: {} } },
  )
  client.setRequestHandler('sampling/createMessage', async () => ({
    role: 'assistant',
    model: 'm',
    content: { type: 'text', text: 'sampled' },
  }))
  client.setRequestHandler('elicitation/create', async () => ({
    action: 'accept',
    content: { name: 'x', check: true },
  }))
  client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///srv', name: 'srv' }] }))
  await client.connect(transport)
  return client
}

describe('the public server with everything behaves the same behind the guard', () => {
  it('what it says of itself', async () => {
    expect(guarded.getServerVersion()).toEqual(plain.getServerVersion())
    expect(guarded.getServerCapabilities()).toEqual(plain.getServerCapabilities())
    expect(guarded.getInstructions()).toEqual(plain.getInstructions())
  })

  const looks: Record<string, (client: Client) => Promise<unknown>> = {
    tools: (client) => client.listTools(),
    resources: (client) => client.listResources(),
    templates: (client) => client.listResourceTemplates(),
    prompts: (client) => client.listPrompts(),
    'a prompt': (client) => client.getPrompt({ name: 'args-prompt', arguments: { city: 'Paris' } }),
    completion: (client) =>
      client.complete({
        ref: { type: 'ref/prompt', name: 'completable-prompt' },
        argument: { name: 'department', value: 'E' },
      }),
    'a resource': (client) => client.readResource({ uri: 'demo://resource/static/document/architecture.md' }),
    'a sum': (client) => client.callTool({ name: 'get-sum', arguments: { a: 1, b: 2 } }),
    'structured content': (client) =>
      client.callTool({ name: 'get-structured-content', arguments: { location: 'Chicago' } }),
    'a picture': (client) => client.callTool({ name: 'get-tiny-image', arguments: {} }),
    'links to resources': (client) => client.callTool({ name: 'get-resource-links', arguments: { count: 2 } }),
    'sampling, asked by the server': (client) =>
      client.callTool({ name: 'trigger-sampling-request', arguments: { prompt: 'p', maxTokens: 10 } }),
    'elicitation, asked by the server': (client) =>
      client.callTool({ name: 'trigger-elicitation-request', arguments: {} }),
    'roots, asked by the server': (client) => client.callTool({ name: 'get-roots-list', arguments: {} }),
    'an error': (client) => client.callTool({ name: 'no-such-tool', arguments: {} }).catch((error) => String(error)),
    'wrong arguments': (client) =>
      client.callTool({ name: 'get-sum', arguments: { a: 'x' } }).catch((error) => String(error)),
  }
  for (const [name, look] of Object.entries(looks))
    it(name, async () => {
      expect(await look(guarded)).toEqual(await look(plain))
    })

  it('progress', async () => {
    const seen: number[] = []
    await guarded.callTool(
      { name: 'trigger-long-running-operation', arguments: { duration: 0.3, steps: 3 } },
      { onprogress: ({ progress }) => seen.push(progress) },
    )
    expect(seen.slice(0, 2)).toEqual([1, 2])
  })

  it('cancellation', async () => {
    const stop = new AbortController()
    const running = guarded.callTool(
      { name: 'trigger-long-running-operation', arguments: { duration: 100, steps: 1000 } },
      { signal: stop.signal, onprogress: () => stop.abort('enough') },
    )
    await expect(running).rejects.toThrow()
    await guarded.ping()
  })
})

describe('the rules of the project hold for it', () => {
  it('a denied call', async () => {
    expect(JSON.stringify(await guarded.callTool({ name: 'echo', arguments: { message: 'forbidden' } }))).toContain(
      'Blocked by a rule',
    )
  })

  it('a secret in a result', async () => {
    const environment = JSON.stringify(await guarded.callTool({ name: 'get-env', arguments: {} }))
    expect(environment).toContain('KEY_FOR_TEST')
    expect(environment).not.toContain(`AKIA${'QWERTYUIOPASDFGH'}`)
  })

  it('also by HTTP, on both sides', async () => {
    const { url: direct } = await listening([])
    const { url } = await listening(['--name', 'everything', '--url', direct])
    const client = await open(new StreamableHTTPClientTransport(new URL(url)))
    onTestFinished(() => client.close())
    expect((await client.listTools()).tools.length).toBeGreaterThan(10)
    expect(JSON.stringify(await client.callTool({ name: 'echo', arguments: { message: 'forbidden' } }))).toContain(
      'Blocked by a rule',
    )
    expect(JSON.stringify(await client.callTool({ name: 'echo', arguments: { message: 'fine' } }))).toContain(
      'Echo: fine',
    )
    const foreign = await fetch(url, {
      method: 'POST',
      headers: { origin: 'https://evil.example', 'content-type': 'application/json' },
      body: '{}',
    })
    expect(foreign.status).toBe(403)
  })

  async function listening(more: string[]): Promise<{ url: string }> {
    const behind = more.length > 0 ? [] : ['--', process.execPath, everything, 'stdio']
    const { child, session } = startHookline(['mcp', '--listen', '127.0.0.1:0', ...more, ...behind], { cwd })
    onTestFinished(() => void child.kill('SIGTERM'))
    await expect.poll(() => session.stderr).toMatch(/guarded at http/)
    return { url: /http:\S+/.exec(session.stderr)![0] }
  }
})

describe('the command line', () => {
  it('says what is wrong with a server that cannot be started', async () => {
    const { exit, stderr } = await hookline(['mcp', '--', 'no-such-program-here'], '', { cwd })
    expect(exit).toBe(64)
    expect(stderr).toContain('no-such-program-here')
  })

  it('ends with the server, while the client still listens, and says so', async () => {
    const dies = "process.stdin.once('data', () => process.exit(3))"
    const { child, ended } = startHookline(['mcp', '--name', 'dies', '--', process.execPath, '-e', dies], { cwd })
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize"}\n')
    const { stdout, stderr } = await ended
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, error: { message: 'The MCP server dies has ended.' } })
    expect(stderr).toContain('The MCP server dies has ended.')
  })

  it.each([
    [['mcp']],
    [['mcp', '--url', 'ftp://x']],
    [['mcp', '--url', 'http://x', '--header', 'nonsense']],
    [['mcp', '--listen', '0.0.0.0:1', '--url', 'http://x']],
  ])('refuses %j with a reason', async (args) => {
    const { exit, stderr } = await hookline(args, '', { cwd })
    expect(exit).toBe(64)
    expect(stderr).toMatch(/\S/)
  })

  it('lists what is pinned, and approves what changed when a person says so', async () => {
    const state = scratch()
    const directory = join(state, 'hookline', 'mcp')
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const waiting = { digest: 'new', description: '{"description":"after"}', why: 'changed' }
    const tools = { pay: { digest: 'old', description: '{"description":"before"}', waiting } }
    writeFileSync(join(directory, 'shop.json'), JSON.stringify({ version: 1, tools }), { mode: 0o600 })
    const env = { XDG_STATE_HOME: state }
    expect((await hookline(['mcp', 'tools'], '', { cwd, env })).stdout).toContain('changed')
    const refused = await hookline(['mcp', 'approve', 'shop'], '', { cwd, env })
    expect(refused.exit).not.toBe(0)
    expect(refused.stdout).toMatch(/-.*before[\s\S]*\+.*after/)
    const token = makeToken(join(state, 'hookline'))
    const approved = await hookline(['mcp', 'approve', 'shop', '--yes'], '', {
      cwd,
      env: { ...env, HOOKLINE_APPROVE_TOKEN: token },
    })
    expect(approved.exit, approved.stderr).toBe(0)
    expect(JSON.parse((await hookline(['mcp', 'tools', 'shop', '--json'], '', { cwd, env })).stdout)).toEqual([
      { server: 'shop', tool: 'pay', digest: 'new', waits: null },
    ])
  })
})
