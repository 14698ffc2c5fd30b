import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { unloadRequest } from '../../src/builtins/unload.ts'
import { createBuiltinExecutor } from '../../src/executors/builtin.ts'
import { askBuiltin } from '../support/ask-builtin.ts'
import { makeCall } from '../support/call.ts'

let server: Server
let received: { url: string | undefined; body: string }[]
let status: number
beforeEach(async () => {
  received = []
  status = 200
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      received.push({ url: request.url, body })
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => void server.close())
const url = (path = '/') => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`

describe('http_post', () => {
  const call = { tool_name: 'shell', tool_input: { command: 'ls' } }

  test('posts the payload, or a body of one’s own', async () => {
    await askBuiltin('http_post', 'post_tool_use', call, { url: url('/a'), allow_local: true })
    await askBuiltin('http_post', 'post_tool_use', call, {
      url: url('/b'),
      body: '{"tool":{{ tool_name | toJSON }}}',
      allow_local: true,
    })
    expect(received.map(({ url }) => url)).toEqual(['/a', '/b'])
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ event: 'post_tool_use', ...call })
    expect(received[1]?.body).toBe('{"tool":"shell"}')
  })

  test('does not reach this machine unless the user says so, and a project cannot say so', async () => {
    await expect(askBuiltin('http_post', 'post_tool_use', call, { url: url() })).rejects.toMatchObject({ kind: 'ssrf' })
    const made = makeCall({ type: 'builtin' }, { event: 'post_tool_use', payload: call })
    made.hook.origin = { layer: 'project' }
    const run = createBuiltinExecutor().run({ name: 'http_post', args: { url: url(), allow_local: true } }, made)
    await expect(run).rejects.toMatchObject({ kind: 'ssrf' })
    expect(received).toEqual([])
  })

  test('an answer that says no is a failure', async () => {
    status = 500
    const run = askBuiltin('http_post', 'post_tool_use', call, { url: url(), allow_local: true })
    await expect(run).rejects.toMatchObject({ kind: 'http' })
  })
})

describe('unload', () => {
  test('frees the local models of the agent before, and survives a server that is gone', async () => {
    const models = [
      { provider: 'dmr', model: 'ai/qwen3', base_url: url('/engines/v1') },
      { provider: 'dmr', model: 'ai/gone', base_url: 'http://127.0.0.1:9/engines/v1' },
      { provider: 'openai', model: 'gpt-5', base_url: url('/v1') },
    ]
    await askBuiltin('unload', 'on_agent_switch', { from_agent_models: models })
    expect(received).toEqual([{ url: '/engines/_unload', body: '{"model":"ai/qwen3"}' }])
  })

  test.each([
    [{ base_url: 'http://h/engines/v1/' }, 'http://h/engines/_unload'],
    [{ base_url: 'http://h/engines/v1', unload_api: '/free' }, 'http://h/free'],
    [{ base_url: 'http://h/v1', unload_api: 'http://other/x' }, 'http://other/x'],
  ])('%o is unloaded at %s', (more, expected) => {
    expect(unloadRequest({ provider: 'dmr', model: 'm', ...more })?.url).toBe(expected)
  })
})

describe('notify', () => {
  test('posts what happened to a webhook', async () => {
    await askBuiltin(
      'notify',
      'stop',
      { response: 'All done.' },
      { webhook: url('/hook'), allow_local: true, title: 'Agent' },
    )
    expect(received).toEqual([{ url: '/hook', body: '{"text":"Agent: All done."}' }])
  })
})
