import { describe, expect, it } from 'vitest'
import { broken, echo, makeTool, type Stage, texts } from '../../hookline/test/support/agent.ts'
import { keys, keysOf, stages, until } from '../../hookline/test/support/stages.ts'

const stage = stages()
const callEcho = { call: { tool: 'echo', input: { text: 'a' } } }

describe('turn_start', () => {
  it('is raised before every model call; its context is seen by that call alone and never kept', async () => {
    let turns = 0
    const { agent, of, requests } = await stage({
      turns: [callEcho],
      tools: [echo],
      prepare: (hooks) => void hooks.on('turn_start', () => ({ context: [`turn ${++turns}`] })),
    })
    await agent.prompt('go')
    expect(of('turn_start')).toHaveLength(2)
    expect(keysOf(of('turn_start')[0])).toEqual(keys('turn_id'))
    expect(requests.map(({ messages }) => texts(messages, 'system'))).toEqual([['turn 1'], ['turn 2']])
    expect(requests[0]!.messages.at(-1)).toEqual({ role: 'system', content: 'turn 1' })
    expect(texts(agent.messages, 'system')).toEqual([])
  })

  it('may halt: the model is not called', async () => {
    const { agent, requests, of } = await stage({
      prepare: (hooks) => void hooks.on('turn_start', () => ({ halt: { reason: 'enough' } })),
    })
    expect(await agent.prompt('go')).toMatchObject({ reason: 'halted', detail: 'enough' })
    expect(requests).toEqual([])
    expect(of('turn_end')).toMatchObject([{ reason: 'hook_blocked' }])
  })
})

describe('turn_end', () => {
  it.each([
    ['normal', 'the model stops', { turns: [{ say: 'hi' }] }],
    ['continue', 'there are tool calls', { turns: [callEcho], tools: [echo] }],
    ['error', 'the model fails', { turns: [{ fail: 'refused' as const }] }],
    [
      'loop_detected',
      'the same call comes again and again',
      { turns: [{ ...callEcho, repeat: true as const }], tools: [echo], spec: { maxConsecutiveToolCalls: 1 } },
    ],
  ])('%s: %s', async (reason, _why, setting) => {
    const { agent, of } = await stage(setting)
    await agent.prompt('go')
    expect(of('turn_end')[0]).toMatchObject({ reason })
    expect(keysOf(of('turn_end')[0])).toEqual(keys('turn_id', 'reason', 'success', 'tool_calls'))
    expect(of('turn_end')).toHaveLength(of('turn_start').length)
  })

  it('hook_blocked: before_llm_call or post_tool_use denied', async () => {
    for (const event of ['before_llm_call', 'post_tool_use'] as const) {
      const { agent, of } = await stage({
        turns: [callEcho],
        tools: [echo],
        prepare: (hooks) => void hooks.on(event, () => ({ decision: { ruling: 'deny' as const, reason: 'no' } })),
      })
      expect(await agent.prompt('go')).toMatchObject({ reason: 'hook_blocked', detail: 'no' })
      expect(of('turn_end')).toMatchObject([{ reason: 'hook_blocked' }])
    }
  })

  it('canceled: the user stopped it; the text until then is kept', async () => {
    const one: Stage = await stage({ script: { pace_ms: 20, default: { say: 'a long long long long long answer' } } })
    const running = one.agent.prompt('go')
    await until(() => one.happenings.some(({ type }) => type === 'text'))
    one.agent.cancel()
    expect(await running).toMatchObject({ reason: 'canceled' })
    expect(one.of('turn_end')).toMatchObject([{ reason: 'canceled' }])
    expect(texts(one.agent.messages, 'assistant')[0]).toMatch(/^a/)
    expect((await one.agent.prompt('again')).reason).toBe('normal')
  })
})

describe('an answer that the user cut off', () => {
  const long = { pace_ms: 20, default: { say: 'The key is hunter2 and there is so much more to say about it all' } }

  it('passes after_llm_call and on_response_end before it is kept or sent again', async () => {
    const one: Stage = await stage({
      script: long,
      prepare(hooks) {
        hooks.on('after_llm_call', ({ payload }) => ({
          rewrite: { mode: 'replace', value: String(payload.response).replaceAll('hunter2', '***') },
        }))
        hooks.on('on_response_end', ({ payload }) => ({
          rewrite: { mode: 'replace', value: `${payload.response} (cut)` },
        }))
      },
    })
    const running = one.agent.prompt('go')
    await until(() => JSON.stringify(one.happenings).includes('hunter2'))
    one.agent.cancel()
    expect(await running).toMatchObject({ reason: 'canceled' })
    expect(one.of('after_llm_call')).toHaveLength(1)
    expect(one.of('on_response_end')).toHaveLength(1)
    expect(texts(one.agent.messages, 'assistant')).toEqual([expect.stringMatching(/^The key is \*\*\*.*\(cut\)$/)])
    await one.agent.prompt('again')
    expect(JSON.stringify(one.requests)).not.toContain('hunter2')
  })
})

describe('turn_end', () => {
  it('names the calls that ran, also when steering was denied after them', async () => {
    const one: Stage = await stage({
      turns: [callEcho],
      tools: [
        makeTool('echo', async () => {
          one.agent.steer('stop it')
          return { content: 'ok' }
        }),
      ],
      prepare: (hooks) =>
        void hooks.on('user_steering_messages_submit', () => ({ decision: { ruling: 'deny', reason: 'no' } })),
    })
    await one.agent.prompt('go')
    expect(one.of('turn_end')).toMatchObject([{ reason: 'hook_blocked', tool_calls: [{ name: 'echo' }] }])
  })
})

describe('before_llm_call', () => {
  it('sees what is about to be sent', async () => {
    const { agent, of, requests } = await stage({ turns: [callEcho], tools: [echo] })
    await agent.prompt('go')
    expect(of('before_llm_call')).toMatchObject([
      { iteration: 1, model_id: 'rehearsal/main', system: 'You help.', last_user_message: 'go' },
      { iteration: 2 },
    ])
    expect(of('before_llm_call').map(({ messages }) => messages)).toEqual(requests.map(({ messages }) => messages))
    expect(keysOf(of('before_llm_call')[0])).toEqual(
      keys('turn_id', 'iteration', 'model_id', 'system', 'last_user_message', 'messages'),
    )
  })

  it('rewrite: this call gets other messages, the transcript stays', async () => {
    const { agent, requests } = await stage({
      prepare: (hooks) =>
        void hooks.on('before_llm_call', ({ payload }) => ({
          rewrite: {
            mode: 'replace',
            value: (payload.messages as { content: string }[]).map((message) => ({ ...message, content: '***' })),
          },
        })),
    })
    await agent.prompt('secret')
    expect(texts(requests[0]!.messages, 'user')).toEqual(['***'])
    expect(texts(agent.messages, 'user')).toEqual(['secret'])
  })

  it('messages rewritten into something unreadable are never sent: the run fails with the reason', async () => {
    const { agent, requests } = await stage({
      prepare: (hooks) =>
        void hooks.on('before_llm_call', () => ({ rewrite: { mode: 'replace', value: [{ role: 'x' }] } })),
    })
    expect(await agent.prompt('secret')).toMatchObject({
      reason: 'error',
      detail: expect.stringContaining('message 1'),
    })
    expect(requests).toEqual([])
  })

  it('deny stops the run; context is seen by this call', async () => {
    const { agent, requests } = await stage({
      turns: [callEcho],
      tools: [echo],
      prepare: (hooks) =>
        void hooks.on('before_llm_call', ({ payload }) =>
          payload.iteration === 2
            ? { decision: { ruling: 'deny', reason: 'Budget spent.' } }
            : { context: ['One call.'] },
        ),
    })
    expect(await agent.prompt('go')).toMatchObject({ reason: 'hook_blocked', detail: 'Budget spent.' })
    expect(requests.map(({ messages }) => texts(messages, 'system'))).toEqual([['One call.']])
  })
})

describe('after_llm_call', () => {
  it('carries text, usage and price of every call, before the answer is kept', async () => {
    const { agent, of } = await stage({
      turns: [
        { say: 'Hi.', usage: { input_tokens: 7, output_tokens: 2 }, cost: 0.25 },
        { say: 'Free.', usage: false },
      ],
    })
    await agent.prompt('one')
    await agent.prompt('two')
    expect(of('after_llm_call')[0]).toMatchObject({
      response: 'Hi.',
      last_user_message: 'one',
      model_id: 'rehearsal/main',
      usage: { input_tokens: 7, output_tokens: 2 },
      cost: 0.25,
    })
    expect(of('after_llm_call')[1]).not.toHaveProperty('usage')
    expect(agent.totals).toMatchObject({ usage: { input_tokens: 7, output_tokens: 2 }, calls: 2 })
  })

  it('rewrite: the transcript and the reply have the new text', async () => {
    const { agent } = await stage({
      turns: [{ say: 'the password is x' }],
      prepare: (hooks) => void hooks.on('after_llm_call', () => ({ rewrite: { mode: 'replace', value: '***' } })),
    })
    expect(await agent.prompt('go')).toMatchObject({ response: '***' })
    expect(texts(agent.messages, 'assistant')).toEqual(['***'])
  })

  it('halt: tool calls of the answer are not made', async () => {
    let ran = 0
    const { agent } = await stage({
      turns: [{ call: { tool: 'count' } }],
      tools: [makeTool('count', async () => ({ content: String(++ran) }))],
      prepare: (hooks) => void hooks.on('after_llm_call', () => ({ halt: { reason: 'stop here' } })),
    })
    expect(await agent.prompt('go')).toMatchObject({ reason: 'halted' })
    expect(ran).toBe(0)
  })
})

describe('model_fallback', () => {
  it('is raised when the next model of the chain takes over', async () => {
    const { agent, of } = await stage({
      script: { default: { fail: 'auth' } },
      models: { second: { default: { say: 'I can.' } } },
      spec: { models: ['main', 'second'] },
    })
    expect(await agent.prompt('go')).toMatchObject({ response: 'I can.' })
    expect(of('model_fallback')).toMatchObject([
      { primary: 'rehearsal/main', fallback: 'rehearsal/second', error: expect.any(String) },
    ])
    expect(of('after_llm_call')).toMatchObject([{ model_id: 'rehearsal/second' }])
    expect(of('on_error')).toEqual([])
  })
})

describe('on_error and notification', () => {
  it('are raised when every model failed, inside the turn', async () => {
    const { agent, raised, of } = await stage({
      script: { default: { fail: { kind: 'refused', message: 'Not this.' } } },
    })
    expect(await agent.prompt('go')).toMatchObject({ reason: 'error', detail: 'Not this.' })
    const order = raised.map(({ event }) => event)
    expect(order.slice(order.indexOf('on_error'))).toEqual(['on_error', 'notification', 'turn_end', 'run_error'])
    const notice = { notification_level: 'error', notification_message: 'Not this.' }
    expect(of('on_error')).toMatchObject([notice])
    expect(of('notification')).toMatchObject([notice])
    expect(keysOf(of('on_error')[0])).toEqual(keys('turn_id', 'notification_level', 'notification_message'))
  })

  it('are raised when the agent goes round in circles', async () => {
    const { agent, of, happenings } = await stage({
      turns: [{ ...callEcho, repeat: true }],
      tools: [echo],
      spec: { maxConsecutiveToolCalls: 3 },
    })
    expect(await agent.prompt('go')).toMatchObject({ reason: 'loop_detected' })
    expect(of('on_error')).toHaveLength(1)
    expect(happenings.filter(({ type }) => type === 'notice')).toHaveLength(1)
    expect(of('post_tool_use')).toHaveLength(2)
  })
})

describe('on_max_iterations and on_session_resume', () => {
  const circling = {
    turns: [1, 2, 3, 4, 5].map((text) => ({ call: { tool: 'echo', input: { text } } })),
    tools: [echo],
    spec: { maxIterations: 2 },
  }

  it('without a person the run ends at the limit', async () => {
    const { agent, of, requests, happenings } = await stage(circling)
    expect(await agent.prompt('go')).toMatchObject({ reason: 'max_iterations' })
    expect(requests).toHaveLength(2)
    expect(happenings.filter(({ type }) => type === 'notice')).toHaveLength(1)
    expect(of('on_max_iterations')).toMatchObject([{ notification_level: 'warning' }])
    expect(of('notification')).toHaveLength(1)
    expect(of('on_session_resume')).toEqual([])
  })

  it('a person may let it go on, as often as they like', async () => {
    const answers = [true, true, false]
    const { agent, of, requests } = await stage({
      ...circling,
      person: { approve: async () => ({ answer: 'no' }), answer: async () => '', goOn: async () => answers.shift()! },
    })
    expect(await agent.prompt('go')).toMatchObject({ reason: 'normal' })
    expect(requests).toHaveLength(6)
    expect(of('on_session_resume')).toMatchObject([
      { previous_max_iterations: 2, new_max_iterations: 4 },
      { previous_max_iterations: 4, new_max_iterations: 6 },
    ])
  })
})

describe('on_response_end and stop', () => {
  it('come once the model has nothing more to do, in this order', async () => {
    const { agent, raised, of } = await stage({ turns: [callEcho, { say: 'Echoed.' }], tools: [echo] })
    await agent.prompt('go')
    const order = raised.map(({ event }) => event)
    expect(order.slice(order.indexOf('on_response_end'))).toEqual(['on_response_end', 'stop', 'turn_end', 'after_run'])
    expect(of('on_response_end')).toMatchObject([
      { response: 'Echoed.', model_id: 'rehearsal/main', tool_names: ['echo'], tokens: { output: expect.any(Number) } },
    ])
    expect(of('stop')).toMatchObject([
      { response: 'Echoed.', last_user_message: 'go', tool_names: ['echo'], stop_hook_active: false },
    ])
  })

  it('on_response_end rewrites what is kept and given', async () => {
    const { agent, of, happenings } = await stage({
      turns: [{ say: 'key sk-1' }],
      prepare: (hooks) => void hooks.on('on_response_end', () => ({ rewrite: { mode: 'replace', value: 'key ***' } })),
    })
    expect(await agent.prompt('go')).toMatchObject({ response: 'key ***' })
    expect(texts(agent.messages, 'assistant')).toEqual(['key ***'])
    expect(of('stop')).toMatchObject([{ response: 'key ***' }])
    expect(happenings).toContainEqual(expect.objectContaining({ type: 'response', text: 'key ***', rewritten: true }))
  })

  it('a denied stop sends the agent back with the reason', async () => {
    const { agent, of, requests } = await stage({
      turns: [{ say: 'Published!' }, { say: 'Not published.' }],
      prepare: (hooks) =>
        void hooks.on('stop', ({ payload }) =>
          payload.response === 'Published!'
            ? { decision: { ruling: 'deny', reason: 'Nothing was published.' } }
            : undefined,
        ),
    })
    expect(await agent.prompt('publish')).toMatchObject({ reason: 'normal', response: 'Not published.' })
    expect(of('stop').map((payload) => payload['stop_hook_active'])).toEqual([false, true])
    expect(requests[1]!.messages.at(-1)).toEqual({ role: 'user', content: 'Nothing was published.' })
    expect(of('turn_end').map(({ reason }) => reason)).toEqual(['continue', 'normal'])
  })

  it('is sent back at most three times', async () => {
    const { agent, requests } = await stage({
      prepare: (hooks) => void hooks.on('stop', () => ({ decision: { ruling: 'deny', reason: 'again' } })),
    })
    expect(await agent.prompt('go')).toMatchObject({ reason: 'normal' })
    expect(requests).toHaveLength(4)
    await agent.prompt('once more')
    expect(requests).toHaveLength(8)
  })

  it('context of a stop that is not denied is seen by the next run', async () => {
    let added = false
    const { agent, requests } = await stage({
      prepare: (hooks) =>
        void hooks.on('stop', () => {
          if (added) return undefined
          added = true
          return { context: ['Remember the tests.'] }
        }),
    })
    await agent.prompt('one')
    await agent.prompt('two')
    await agent.prompt('three')
    expect(requests.map(({ messages }) => texts(messages, 'system'))).toEqual([[], ['Remember the tests.'], []])
  })
})

it('a failed call raises the failure event, and the result event with an error', async () => {
  const { agent, of } = await stage({ turns: [{ call: { tool: 'broken' } }], tools: [broken] })
  await agent.prompt('go')
  expect(of('post_tool_use_failure')).toMatchObject([{ tool_name: 'broken', error: 'it broke' }])
  expect(of('post_tool_use')).toMatchObject([{ tool_error: true, success: false }])
})
