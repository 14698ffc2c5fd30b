import { afterEach, describe, expect, test } from 'vitest'
import {
  type ProviderStub,
  type StubAnswer,
  type StubProtocol,
  stubProvider,
} from '../../../hookline/test/support/providers.ts'
import type { Message, ModelPart, ToolCall } from '../../src/core/model.ts'
import type { ModelSpec } from '../../src/core/team.ts'
import { missingKey, openModels, usualModel } from '../../src/models/index.ts'
import { callsOf, collect, finishOf, never, textOf, userRequest } from './collect.ts'

const stubs: ProviderStub[] = []
afterEach(async () => {
  for (const stub of stubs.splice(0)) await stub.close()
})

/** Each protocol, and a model that uses it. */
const speakers: Record<StubProtocol, Omit<ModelSpec, 'baseURL'>> = {
  chat: { provider: 'openai', model: 'gpt-4o', keyVariable: 'A_KEY' },
  responses: { provider: 'openai', model: 'gpt-5', keyVariable: 'A_KEY', responses: true },
  anthropic: { provider: 'anthropic', model: 'claude-opus-5-5', keyVariable: 'A_KEY' },
  google: { provider: 'google', model: 'gemini-2.5-pro', keyVariable: 'A_KEY' },
}
const protocols = Object.keys(speakers) as StubProtocol[]
const key = 'sk-0123456789abcdef'

async function open(protocol: StubProtocol, answers: readonly StubAnswer[], more: Partial<ModelSpec> = {}) {
  const stub = await stubProvider(protocol, (_, count) => answers[count - 1] ?? {})
  stubs.push(stub)
  const models = { it: { ...speakers[protocol], baseURL: stub.url, ...more } }
  return { stub, model: await openModels({ team: { models }, env: { A_KEY: key } })('it') }
}

const shell = {
  name: 'shell',
  description: 'Runs a command.',
  parameters: { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] },
}
const failureOf = (parts: Promise<unknown>) =>
  parts.then(
    () => undefined,
    (error: unknown) => error as Error,
  )

describe.each(protocols)('over %s', (protocol) => {
  test('a server that stays silent is given up after a while, and says which one and how long', async () => {
    const stub = await stubProvider(protocol, () => new Promise(() => {}))
    stubs.push(stub)
    const models = { it: { ...speakers[protocol], baseURL: stub.url, timeoutMs: 30 } }
    const model = await openModels({ team: { models }, env: { A_KEY: key } })('it')
    const error = await failureOf(collect(model.stream(userRequest('hi'), never)))
    expect(error).toMatchObject({ kind: 'unavailable', timedOut: true })
    expect(error?.message).toMatch(/did not answer for 0\.03 s/)
  })

  test('text streams, in the pieces in which it comes', async () => {
    const { model, stub } = await open(protocol, [{ text: ['Hel', 'lo ', 'there'] }])
    const parts = await collect(model.stream(userRequest('hi'), never))
    expect(parts.filter(({ type }) => type === 'text')).toHaveLength(3)
    expect(textOf(parts)).toBe('Hello there')
    expect(parts.filter(({ type }) => type === 'finish')).toEqual([parts.at(-1)])
    expect(JSON.stringify(stub.requests[0]?.body)).toContain('You are helpful.')
  })

  test('tool calls come whole, and are not run', async () => {
    const calls = [
      { id: 'call-1', name: 'shell', arguments: '{"cmd":"ls -la"}' },
      { id: 'call-2', name: 'other', arguments: '{"x":1}' },
    ]
    const { model, stub } = await open(protocol, [{ text: ['Let me look.'], calls }])
    const parts = await collect(model.stream(userRequest('list', { tools: [shell] }), never))
    expect(callsOf(parts)).toMatchObject([
      { name: 'shell', input: { cmd: 'ls -la' } },
      { name: 'other', input: { x: 1 } },
    ])
    expect(stub.requests).toHaveLength(1)
    expect(JSON.stringify(stub.requests[0]?.body)).toContain('Runs a command.')
  })

  test('usage is counted as docker-agent does: what came from the cache is apart', async () => {
    const { model } = await open(protocol, [{ text: ['x'], usage: { input: 1_000, output: 50, cached: 400 } }])
    expect(finishOf(await collect(model.stream(userRequest('hi'), never)))).toMatchObject({
      usage: { input_tokens: 600, output_tokens: 50, cached_input_tokens: 400 },
    })
  })

  test('the answer costs what the file sets, and other servers have no price', async () => {
    const usage = { input: 1_000_000, output: 100_000 }
    const price = { input: 2, output: 10 }
    const { model } = await open(protocol, [{ text: ['x'], usage }], { price })
    expect(finishOf(await collect(model.stream(userRequest('hi'), never)))).toMatchObject({ cost: 3 })
    const { model: unknown } = await open(protocol, [{ text: ['x'], usage }])
    expect(finishOf(await collect(unknown.stream(userRequest('hi'), never)))).not.toHaveProperty('cost')
  })

  test('reasoning streams apart from the text, and what was signed goes back with the call', async () => {
    const call = { id: 'call-1', name: 'shell', arguments: '{"cmd":"ls"}' }
    const { model, stub } = await open(protocol, [{ reasoning: 'hm', text: ['ok'], calls: [call] }, { text: ['done'] }])
    const parts = await collect(model.stream(userRequest('list', { tools: [shell] }), never))
    expect(parts.find(({ type }) => type === 'reasoning')).toEqual({ type: 'reasoning', text: 'hm' })
    const { type: _, ...kept } = callsOf(parts)[0] as Extract<ModelPart, { type: 'tool_call' }>
    const messages: Message[] = [
      { role: 'user', content: 'list' },
      { role: 'assistant', content: 'ok', reasoning: 'hm', tool_calls: [JSON.parse(JSON.stringify(kept)) as ToolCall] },
      { role: 'tool', tool_call_id: kept.id, tool_name: 'shell', content: 'a b c' },
    ]
    expect(textOf(await collect(model.stream(userRequest('', { messages, tools: [shell] }), never)))).toBe('done')
    const sent = JSON.stringify(stub.requests[1]?.body)
    expect(sent).toContain('a b c')
    const signature = { chat: undefined, responses: 'sealed', anthropic: 'signed', google: 'signed' }[protocol]
    if (signature) expect(sent).toContain(signature)
  })

  test('an answer that is held back is a refusal', async () => {
    const { model } = await open(protocol, [{ filtered: true }])
    expect(await failureOf(collect(model.stream(userRequest('hi'), never)))).toMatchObject({ kind: 'refused' })
  })

  test.each(['lost', 'ends', 'overloaded'] as const)('a stream that breaks off (%s) is an outage', async (then) => {
    const { model } = await open(protocol, [{ text: ['half'], then }])
    const received: ModelPart[] = []
    const failure = await failureOf(
      (async () => {
        for await (const part of model.stream(userRequest('hi'), never)) received.push(part)
      })(),
    )
    expect(failure).toMatchObject({ name: 'ModelError', kind: 'unavailable' })
    expect(textOf(received)).toBe('half')
  })

  test('the signal stops it, quietly', async () => {
    const { model } = await open(protocol, [{ text: ['one', 'two', 'three'] }])
    const stop = new AbortController()
    const parts: ModelPart[] = []
    for await (const part of model.stream(userRequest('hi'), stop.signal)) {
      parts.push(part)
      stop.abort()
    }
    expect(finishOf(parts)).toBeUndefined()
    const late = new AbortController()
    late.abort()
    expect(await collect(model.stream(userRequest('hi'), late.signal))).toEqual([])
  })

  test('is called once: the caller decides about retries', async () => {
    const { model, stub } = await open(protocol, [{ status: 500, body: {} }, { text: ['no'] }])
    expect(await failureOf(collect(model.stream(userRequest('hi'), never)))).toMatchObject({ kind: 'unavailable' })
    expect(stub.requests).toHaveLength(1)
  })

  test('the error for a refused key names its variable, and never the key', async () => {
    const body = { error: { message: `Incorrect API key provided: ${key}.`, type: 'authentication_error' } }
    const { model } = await open(protocol, [{ status: 401, body }])
    const failure = await failureOf(collect(model.stream(userRequest('hi'), never)))
    expect(failure).toMatchObject({ kind: 'auth' })
    expect(failure!.message).toContain('A_KEY')
    for (const text of [failure!.message, String(failure!.stack), JSON.stringify(failure)])
      expect(text).not.toContain(key)
  })

  test('a redirect is not followed: it would carry the key', async () => {
    const elsewhere = await stubProvider(protocol, () => ({ text: ['caught'] }))
    stubs.push(elsewhere)
    const { model } = await open(protocol, [{ status: 307, body: {}, headers: { location: elsewhere.url } }])
    expect(await failureOf(collect(model.stream(userRequest('hi'), never)))).toMatchObject({ kind: 'unavailable' })
    expect(elsewhere.requests).toEqual([])
  })
})

describe('what went wrong', () => {
  test.each<[StubProtocol, number, unknown, string]>([
    [
      'chat',
      400,
      { error: { message: "This model's maximum context length is 128000 tokens.", code: 'context_length_exceeded' } },
      'overflow',
    ],
    [
      'responses',
      400,
      { error: { message: 'Your input exceeds the context window of this model.', type: 'invalid_request_error' } },
      'overflow',
    ],
    [
      'anthropic',
      400,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
      },
      'overflow',
    ],
    [
      'anthropic',
      413,
      { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
      'overflow',
    ],
    [
      'google',
      400,
      {
        error: {
          code: 400,
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
          status: 'INVALID_ARGUMENT',
        },
      },
      'overflow',
    ],
    [
      'chat',
      400,
      { error: { message: 'the request exceeds the available context size, try increasing it' } },
      'overflow',
    ],
    [
      'chat',
      400,
      { error: { message: 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length' } },
      'overflow',
    ],
    ['chat', 400, { error: { message: 'Unknown parameter: `foo`.' } }, 'invalid'],
    ['anthropic', 404, { type: 'error', error: { type: 'not_found_error', message: 'model: claude-x' } }, 'invalid'],
    [
      'chat',
      429,
      {
        error: { message: 'You exceeded your current quota.', code: 'insufficient_quota', type: 'insufficient_quota' },
      },
      'auth',
    ],
    [
      'google',
      400,
      { error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } },
      'auth',
    ],
    ['chat', 403, { error: { message: 'Country not supported' } }, 'auth'],
    ['anthropic', 529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'unavailable'],
    ['chat', 502, '<html>Bad gateway</html>', 'unavailable'],
  ])('%s: status %i, %j is %s', async (protocol, status, body, kind) => {
    const { model } = await open(protocol, [{ status, body }])
    expect(await failureOf(collect(model.stream(userRequest('hi'), never)))).toMatchObject({ kind })
  })

  test.each<[StubProtocol, Record<string, string>, unknown, number | undefined]>([
    ['chat', { 'retry-after-ms': '120' }, {}, 120],
    ['anthropic', { 'retry-after': '7' }, {}, 7_000],
    [
      'google',
      {},
      { error: { code: 429, message: 'Slow down.', status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '34s' }] } },
      34_000,
    ],
    ['chat', {}, {}, undefined],
  ])('%s: a rate limit says when to try again (%j)', async (protocol, headers, body, retryAfterMs) => {
    const { model } = await open(protocol, [{ status: 429, body, headers }])
    const failure = await failureOf(collect(model.stream(userRequest('hi'), never)))
    expect(failure).toMatchObject({ kind: 'rate-limit', retryAfterMs })
  })

  test('a server that is not there is an outage', async () => {
    const { model, stub } = await open('chat', [])
    await stub.close()
    const failure = await failureOf(collect(model.stream(userRequest('hi'), never)))
    expect(failure).toMatchObject({ kind: 'unavailable' })
    expect(failure!.message).toContain('openai/gpt-4o')
  })

  test('a long page of an error is cut', async () => {
    const { model } = await open('chat', [{ status: 400, body: { error: { message: 'x'.repeat(10_000) } } }])
    expect((await failureOf(collect(model.stream(userRequest('hi'), never))))!.message.length).toBeLessThan(600)
  })
})

describe('names', () => {
  const team = { models: { mine: { provider: 'anthropic', model: 'claude-opus-5' } } }
  const openModel = openModels({ team, env: {} })

  test('a name of the team, or provider/model', async () => {
    expect((await openModel('mine')).id).toBe('anthropic/claude-opus-5')
    expect((await openModel('ollama/library/qwen3')).id).toBe('ollama/library/qwen3')
    expect((await openModel('rehearsal')).id).toBe('rehearsal/default')
  })

  test('what is known of a model: how much fits, and where it is', async () => {
    expect(await openModel('openai/gpt-4o-2024-08-06')).toMatchObject({ contextLimit: 128_000 })
    expect(await openModel('dmr/ai/qwen3')).toMatchObject({
      contextLimit: 0,
      endpoint: { provider: 'dmr', model: 'ai/qwen3', base_url: 'http://127.0.0.1:12434/engines/v1' },
    })
  })

  test.each([
    ['mien', 'Did you mean `mine`'],
    ['antropic/claude-opus-5', 'Did you mean `anthropic`'],
    ['constructor/x', 'There is no model'],
  ])('%s leads nowhere', async (name, words) => {
    await expect(openModel(name)).rejects.toThrow(words)
  })

  test('a missing key is an error of the first call, with its variable and a remedy', async () => {
    const failure = await failureOf(collect((await openModel('openai/gpt-5')).stream(userRequest('hi'), never)))
    expect(failure).toMatchObject({ kind: 'auth' })
    expect(failure!.message).toMatch(/OPENAI_API_KEY.*rehearsal/)
    expect(missingKey('openai/gpt-5', { team, env: {} })?.code).toBe('model-key-missing')
    expect(missingKey('ollama/qwen3', { team, env: {} })).toBeUndefined()
    expect(missingKey('google/gemini-2.5-pro', { team, env: { GEMINI_API_KEY: 'x' } })).toBeUndefined()
  })

  test('without a name, the provider whose key is set; without a key, the rehearsal', () => {
    expect(usualModel({ OPENAI_API_KEY: 'x' })).toMatch(/^openai\//)
    expect(usualModel({ OPENAI_API_KEY: 'x', ANTHROPIC_API_KEY: 'y' })).toMatch(/^anthropic\//)
    expect(usualModel({})).toBe('rehearsal')
  })
})

test.each<[StubProtocol, Partial<ModelSpec>, object]>([
  ['chat', { temperature: 0.5, maxOutputTokens: 9, seed: 3 }, { temperature: 0.5, max_tokens: 9, seed: 3 }],
  ['chat', { thinking: 'low', options: { min_p: 0.1 } }, { reasoning_effort: 'low', min_p: 0.1 }],
  ['responses', { thinking: 'high' }, { store: false, reasoning: { effort: 'high' } }],
  ['responses', { options: { service_tier: 'priority' } }, { service_tier: 'priority' }],
  ['anthropic', { maxOutputTokens: 9 }, { max_tokens: 9, cache_control: { type: 'ephemeral' } }],
  ['anthropic', { model: 'claude-sonnet-4-5', thinking: 2048 }, { thinking: { type: 'enabled', budget_tokens: 2048 } }],
  ['google', { thinking: 1024 }, { generationConfig: { thinkingConfig: { thinkingBudget: 1024 } } }],
])('%s: settings %j are sent', async (protocol, settings, sent) => {
  const { model, stub } = await open(protocol, [{ text: ['ok'] }], settings)
  await collect(model.stream(userRequest('hi'), never))
  expect(stub.requests[0]?.body).toMatchObject(sent)
  if (protocol === 'chat') expect(stub.requests[0]?.body).not.toHaveProperty('store')
})

test('a provider that does not answer is abandoned when the signal aborts', async () => {
  const stub = await stubProvider('anthropic', () => new Promise(() => {}))
  stubs.push(stub)
  const models = { it: { ...speakers.anthropic, baseURL: stub.url } }
  const model = await openModels({ team: { models }, env: { A_KEY: key } })('it')
  const stop = new AbortController()
  const parts = collect(model.stream(userRequest('hi'), stop.signal))
  await expect.poll(() => stub.requests.length).toBe(1)
  stop.abort()
  expect(await parts).toEqual([])
})

test('headers and the base URL take variables, and errors never show their values', async () => {
  const { model, stub } = await open('chat', [{ status: 400, body: { error: { message: `bad ${key}` } } }], {
    headers: { 'x-team': ['$', '{env.A_KEY}'].join('') },
  })
  const failure = await failureOf(collect(model.stream(userRequest('hi'), never)))
  expect(stub.requests[0]?.headers['x-team']).toBe(key)
  expect(failure!.message).not.toContain(key)
})
