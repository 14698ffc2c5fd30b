import { afterEach, describe, expect, it } from 'vitest'
import type { EventName } from '../../hookline/src/core/index.ts'
import { createHooks, type Hooks } from '../../hookline/src/hooks/index.ts'
import { echo, plainAgent } from '../../hookline/test/support/agent.ts'
import { type ProviderStub, type StubAnswer, stubProvider } from '../../hookline/test/support/providers.ts'
import { createPermissions, openAgent, openModels } from '../src/index.ts'

/** The core of the loop again, over real sockets, in the protocols that most models use. */
const protocols = [
  { provider: 'openai-compatible', protocol: 'chat' },
  { provider: 'anthropic', protocol: 'anthropic' },
] as const

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function talk(
  { provider, protocol }: (typeof protocols)[number],
  answers: readonly StubAnswer[],
  prepare?: (hooks: Hooks) => void,
) {
  const stub: ProviderStub = await stubProvider(
    protocol as never,
    (_request, count) => answers[count - 1] ?? { text: ['ok'] },
  )
  closing.push(() => stub.close())
  const hooks = await createHooks({ journal: false })
  closing.push(() => hooks.close())
  prepare?.(hooks)
  const raised: { event: EventName; payload: Record<string, unknown> }[] = []
  const team = {
    agents: {
      root: { name: 'root', ...plainAgent, models: ['stub'], retries: 0 },
    },
    root: 'root',
    models: { stub: { provider, model: 'some-model', baseURL: stub.url, keyVariable: 'KEY' } },
    permissions: { allow: ['*'], ask: [], deny: [] },
    snapshot: false,
  }
  const agent = await openAgent({
    team,
    cwd: process.cwd(),
    permissions: createPermissions({ team: team.permissions }),
    raise(event, payload, options) {
      raised.push({ event, payload: payload as Record<string, unknown> })
      return hooks.raise(event, payload, options)
    },
    openModel: openModels({ team, env: { KEY: 'sk-test' } }),
    openTools: async () => ({ tools: [echo], close: async () => {} }),
  })
  closing.push(() => agent.end('other'))
  const of = (event: EventName) => raised.filter((each) => each.event === event).map(({ payload }) => payload)
  return { agent, stub, of, raised, sent: (index: number) => JSON.stringify(stub.requests[index]?.body) }
}

const callEcho: StubAnswer = {
  text: ['I will ', 'echo.'],
  calls: [{ id: 'call_1', name: 'echo', arguments: '{"text":"a"}' }],
  usage: { input: 100, output: 20, cached: 40 },
}

describe.each(protocols)('$provider', (protocol) => {
  it('a tool call and its result go round, with usage', async () => {
    const { agent, of, sent } = await talk(protocol, [callEcho, { text: ['Echoed.'] }])
    expect(await agent.prompt('go')).toMatchObject({ reason: 'normal', response: 'Echoed.' })
    expect(of('pre_tool_use')).toMatchObject([{ tool_name: 'echo', tool_use_id: 'call_1', tool_input: { text: 'a' } }])
    expect(sent(1)).toContain('echo: a')
    expect(of('after_llm_call')[0]).toMatchObject({
      response: 'I will echo.',
      usage: { input_tokens: 60, cached_input_tokens: 40, output_tokens: 20 },
    })
    expect(of('turn_end').map(({ reason }) => reason)).toEqual(['continue', 'normal'])
  })

  it('what hooks deny, add and rewrite is what the provider reads next', async () => {
    const { agent, sent } = await talk(protocol, [callEcho, callEcho, { text: ['Fine.'] }], (hooks) => {
      let calls = 0
      hooks.on('user_prompt_submit', () => ({ rewrite: { mode: 'replace', value: 'a clean prompt' } }))
      hooks.on('session_start', () => ({ context: ['The session rule.'] }))
      hooks.on('turn_start', () => ({ context: ['The turn rule.'] }))
      hooks.on('pre_tool_use', () =>
        ++calls === 1
          ? { decision: { ruling: 'deny', reason: 'Not this one.' } }
          : { rewrite: { mode: 'merge', value: { text: 'b' } } },
      )
      hooks.on('tool_response_transform', () => ({ rewrite: { mode: 'replace', value: 'masked' } }))
    })
    await agent.prompt('a dirty prompt')
    expect(sent(0)).toContain('a clean prompt')
    expect(sent(0)).not.toContain('dirty')
    for (const rule of ['The session rule.', 'The turn rule.']) expect(sent(0)).toContain(rule)
    expect(sent(1)).toContain('Not this one.')
    expect(sent(2)).toContain('masked')
    expect(sent(2)).not.toContain('echo: b')
  })

  it('before_llm_call decides what leaves; a denied stop sends it back', async () => {
    const { agent, stub, sent } = await talk(protocol, [{ text: ['Published!'] }, { text: ['Not yet.'] }], (hooks) => {
      hooks.on('before_llm_call', ({ payload }) => ({
        rewrite: { mode: 'replace', value: JSON.parse(JSON.stringify(payload.messages).replaceAll('s3cret', '***')) },
      }))
      hooks.on('stop', ({ payload }) =>
        payload.stop_hook_active ? undefined : { decision: { ruling: 'deny', reason: 'Nothing was published.' } },
      )
    })
    expect(await agent.prompt('publish s3cret')).toMatchObject({ response: 'Not yet.' })
    expect(stub.requests).toHaveLength(2)
    expect(sent(0)).not.toContain('s3cret')
    expect(sent(1)).toContain('Nothing was published.')
  })

  it('an error of the provider is raised inside the turn, without the key', async () => {
    const { agent, of } = await talk(protocol, [{ status: 401, body: { error: { message: 'bad key sk-test' } } }])
    const end = await agent.prompt('go')
    expect(end.reason).toBe('error')
    expect(end.detail).not.toContain('sk-test')
    expect(of('on_error')).toHaveLength(1)
    expect(of('turn_end')).toMatchObject([{ reason: 'error' }])
    expect(of('run_error')).toHaveLength(1)
  })
})
