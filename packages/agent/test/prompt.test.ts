import { describe, expect, it } from 'vitest'
import type { Hooks } from '../../hookline/src/hooks/index.ts'
import { echo, stage as open, type Stage, texts } from '../../hookline/test/support/agent.ts'
import { keys, keysOf, never, stages, until } from '../../hookline/test/support/stages.ts'
import type { SessionRecord } from '../src/index.ts'

const stage = stages()

describe('session_start', () => {
  it('comes first, once, and its context stays for the life of the session', async () => {
    const { agent, raised, requests, of } = await stage({
      prepare: (hooks) => void hooks.on('session_start', () => ({ context: ['The house rule.'] })),
    })
    await agent.prompt('one')
    await agent.prompt('two')
    expect(raised[0]?.event).toBe('session_start')
    expect(of('session_start')).toHaveLength(1)
    expect(of('session_start')[0]).toMatchObject({ source: 'startup' })
    expect(keysOf(of('session_start')[0])).toEqual(keys('source', 'status'))
    expect(requests.map(({ messages }) => messages[0])).toEqual(
      requests.map(() => ({ role: 'system', content: 'The house rule.' })),
    )
    expect(requests).toHaveLength(2)
  })

  it('the same message of two hooks is shown once', async () => {
    const { happenings } = await stage({
      prepare(hooks) {
        for (const id of ['one', 'two'])
          hooks.on('session_start', undefined, () => ({ message: ['Hello.', id] }), { id })
      },
    })
    const notices = happenings.flatMap((each) => (each.type === 'notice' ? [each.text] : []))
    expect(notices).toEqual(['Hello.', 'one', 'two'])
  })

  it('context that a resumed session has kept is not added twice', async () => {
    const kept: SessionRecord[] = []
    const setting = {
      openLog: async () => ({
        append: (record: SessionRecord) => void kept.push(record),
        flush: async () => {},
        close: async () => {},
      }),
      prepare: (hooks: Hooks) => void hooks.on('session_start', () => ({ context: ['The house rule.'] })),
    }
    await stage(setting)
    const { agent, requests, of } = await stage({ ...setting, resume: [...kept] })
    await agent.prompt('on')
    expect(of('session_start')).toMatchObject([{ source: 'resume' }])
    expect(texts(requests[0]!.messages, 'system')).toEqual(['The house rule.'])
    expect(kept.filter(({ type }) => type === 'context')).toHaveLength(1)
  })

  it('may halt: then there is no session', async () => {
    await expect(
      open({ prepare: (hooks) => void hooks.on('session_start', () => ({ halt: { reason: 'closed today' } })) }),
    ).rejects.toThrow('closed today')
  })
})

describe('session_end', () => {
  it('is raised once, with the reason, however often the session is ended', async () => {
    const one = await stage({})
    await one.agent.end('logout')
    await one.agent.end('other')
    expect(one.of('session_end')).toMatchObject([{ reason: 'logout' }])
    expect(keysOf(one.of('session_end')[0])).toEqual(keys('reason', 'status'))
  })

  it('is the last event: an ended session refuses everything, and raises nothing', async () => {
    const { agent, raised } = await stage({ channels: ['console'], send: async () => {} })
    await agent.end('other')
    const attempts = [
      () => agent.prompt('x'),
      () => agent.goal('x'),
      () => agent.compact(),
      () => agent.notify('console', 'x'),
      () => agent.switchTo('root'),
    ]
    for (const ask of attempts) await expect(ask()).rejects.toThrow('The session has ended.')
    expect(raised.at(-1)?.event).toBe('session_end')
  })

  it('is raised also when a run is cut short, after its turn has ended', async () => {
    const one = await stage({ script: { latency_ms: 60_000, default: { say: 'late' } } })
    const running = one.agent.prompt('wait')
    await until(() => one.requests.length === 1)
    await one.agent.end('prompt_input_exit')
    expect((await running).reason).toBe('canceled')
    expect(one.raised.map(({ event }) => event).slice(-3)).toEqual(['turn_end', 'after_run', 'session_end'])
    expect(one.of('turn_end')).toMatchObject([{ reason: 'canceled' }])
  })
})

describe('user_prompt_submit', () => {
  it('is raised before the model call, with the prompt', async () => {
    const { agent, of, raised } = await stage({})
    await agent.prompt('hello')
    expect(of('user_prompt_submit')).toMatchObject([{ prompt: 'hello' }])
    expect(keysOf(of('user_prompt_submit')[0])).toEqual(keys('prompt'))
    const order = raised.map(({ event }) => event)
    expect(order.indexOf('user_prompt_submit')).toBeLessThan(order.indexOf('before_llm_call'))
  })

  it('deny: no run begins, the model is not called, the user reads why', async () => {
    const { agent, requests, happenings, raised } = await stage({
      prepare: (hooks) =>
        void hooks.on('user_prompt_submit', () => ({ decision: { ruling: 'deny', reason: 'No keys, please.' } })),
    })
    expect(await agent.prompt('my key is x')).toMatchObject({ reason: 'refused', detail: 'No keys, please.' })
    expect(requests).toEqual([])
    expect(agent.messages).toEqual([])
    expect(raised.map(({ event }) => event)).not.toContain('before_run')
    expect(happenings).toContainEqual(
      expect.objectContaining({ type: 'notice', text: expect.stringContaining('No keys') }),
    )
  })

  it('rewrite: the model and the transcript have the new text only', async () => {
    const { agent, requests } = await stage({
      prepare: (hooks) => void hooks.on('user_prompt_submit', () => ({ rewrite: { mode: 'replace', value: 'clean' } })),
    })
    await agent.prompt('dirty')
    expect(texts(requests[0]!.messages, 'user')).toEqual(['clean'])
    expect(texts(agent.messages, 'user')).toEqual(['clean'])
  })

  it('context: the model sees it in this run, the transcript never', async () => {
    let submissions = 0
    const { agent, requests } = await stage({
      turns: [{ call: { tool: 'echo', input: { text: 'a' } } }],
      tools: [echo],
      prepare: (hooks) =>
        void hooks.on('user_prompt_submit', () => (submissions++ === 0 ? { context: ['Only now.'] } : undefined)),
    })
    await agent.prompt('one')
    await agent.prompt('two')
    const seen = requests.map(({ messages }) => texts(messages, 'system').includes('Only now.'))
    expect(seen).toEqual([true, true, false])
    expect(texts(agent.messages, 'system')).toEqual([])
  })
})

it('a prompt whose hooks were still thinking when the user stopped is canceled, not refused', async () => {
  const one = await stage({ prepare: (hooks) => void hooks.on('user_prompt_submit', () => never()) })
  const running = one.agent.prompt('hello')
  await until(() => one.of('user_prompt_submit').length === 1)
  one.agent.cancel()
  expect(await running).toEqual({ reason: 'canceled', response: '' })
  expect(one.requests).toEqual([])
})

it.each(['before_llm_call', 'on_response_end', 'after_llm_call'] as const)(
  'a run that is stopped while hooks of %s think is canceled, and what they had not judged is not kept',
  async (event) => {
    const one = await stage({ turns: [{ say: 'secret' }], prepare: (hooks) => void hooks.on(event, () => never()) })
    const running = one.agent.prompt('hello')
    await until(() => one.of(event).length === 1)
    one.agent.cancel()
    expect(await running).toMatchObject({ reason: 'canceled', response: '' })
    expect(one.of('turn_end')).toMatchObject([{ reason: 'canceled' }])
    expect(texts(one.agent.messages, 'assistant')).toEqual([])
  },
)

it('turn_id is there while a turn is in flight, and then only', async () => {
  const { agent, raised } = await stage({ person: { approve: never, answer: never, goOn: never } })
  await agent.prompt('one')
  await agent.prompt('two')
  await agent.end('other')
  const turns = raised.map(({ event, payload }) => [
    event,
    String(payload['turn_id'] ?? '')
      .split('.')
      .at(-1),
  ])
  const within = ['turn_start', 'before_llm_call', 'after_llm_call', 'on_response_end', 'stop', 'turn_end']
  expect(turns.filter(([, id]) => id !== '')).toEqual(['1', '2'].flatMap((id) => within.map((event) => [event, id])))
})

describe('before_run, after_run, run_error', () => {
  it('enclose a run: one begins it, one of the others ends it', async () => {
    const { agent, raised, of } = await stage({ turns: [{ say: 'Yes.' }, { fail: 'refused' }] })
    await agent.prompt('one')
    await agent.prompt('two')
    const runs = raised.map(({ event }) => event).filter((event) => /run/.test(event))
    expect(runs).toEqual(['before_run', 'after_run', 'before_run', 'run_error'])
    expect(of('before_run')).toMatchObject([{ prompt: 'one' }, { prompt: 'two' }])
    expect(of('after_run')).toMatchObject([{ result: 'Yes.' }])
    expect(of('run_error')).toMatchObject([{ error: expect.any(String) }])
  })

  it('a halt at before_run: the model is not called', async () => {
    const { agent, requests } = await stage({
      prepare: (hooks) => void hooks.on('before_run', () => ({ halt: { reason: 'not now' } })),
    })
    expect(await agent.prompt('one')).toMatchObject({ reason: 'halted', detail: 'not now' })
    expect(requests).toEqual([])
  })
})

describe('user_steering_messages_submit', () => {
  it('gives what was written meanwhile to the model after the tool calls; the turn ends as steered', async () => {
    const one: Stage = await stage({
      turns: [{ call: { tool: 'nudge' } }],
      tools: [
        {
          ...echo,
          name: 'nudge',
          async run() {
            one.agent.steer('Rather in French.')
            one.agent.steer('And short.')
            return { content: 'ok' }
          },
        },
      ],
    })
    await one.agent.prompt('go')
    expect(one.of('user_steering_messages_submit')).toMatchObject([
      { steering_messages: ['Rather in French.', 'And short.'] },
    ])
    expect(one.of('turn_end').map(({ reason }) => reason)).toEqual(['steered', 'normal'])
    expect(texts(one.requests[1]!.messages, 'user')).toEqual(['go', 'Rather in French.', 'And short.'])
  })

  it('what is written while it waits comes with the next prompt', async () => {
    const { agent, requests, of } = await stage({})
    agent.steer('Mind the tone.')
    await agent.prompt('go')
    expect(of('user_steering_messages_submit')).toHaveLength(1)
    expect(texts(requests[0]!.messages, 'user')).toEqual(['go', 'Mind the tone.'])
  })

  it.each(['stop', 'after_run', 'on_user_input'] as const)(
    'what is written as the run ends (%s) reaches the model without another prompt',
    async (event) => {
      let written = false
      const one: Stage = await stage({
        person: { approve: never, answer: never, goOn: never },
        prepare: (hooks) =>
          void hooks.on(event, () => {
            if (!written) one.agent.steer('One more thing.')
            written = true
            return undefined
          }),
      })
      await one.agent.prompt('go')
      expect(one.of('user_steering_messages_submit')).toMatchObject([{ steering_messages: ['One more thing.'] }])
      expect(one.requests.map(({ messages }) => texts(messages, 'user'))).toEqual([['go'], ['go', 'One more thing.']])
      expect(one.of('user_prompt_submit')).toHaveLength(1)
    },
  )

  it('deny stops the run; rewrite changes what the model reads', async () => {
    const denied = await stage({
      prepare: (hooks) =>
        void hooks.on('user_steering_messages_submit', () => ({ decision: { ruling: 'deny', reason: 'no' } })),
    })
    denied.agent.steer('x')
    expect(await denied.agent.prompt('go')).toMatchObject({ reason: 'hook_blocked', detail: 'no' })
    expect(denied.requests).toEqual([])
    const changed = await stage({
      prepare: (hooks) =>
        void hooks.on('user_steering_messages_submit', () => ({ rewrite: { mode: 'replace', value: ['better'] } })),
    })
    changed.agent.steer('x')
    await changed.agent.prompt('go')
    expect(texts(changed.requests[0]!.messages, 'user')).toEqual(['go', 'better'])
  })
})

describe('user_followup_submit', () => {
  it('starts a turn of its own when the first is done; deny drops it alone', async () => {
    const { agent, of, requests } = await stage({
      script: { default: { say: 'ok' }, latency_ms: 5 },
      prepare: (hooks) =>
        void hooks.on('user_followup_submit', ({ payload }) =>
          payload.prompt === 'bad'
            ? { decision: { ruling: 'deny', reason: 'dropped' } }
            : { context: ['A follow-up.'] },
        ),
    })
    const running = agent.prompt('first')
    agent.followUp('bad')
    agent.followUp('good')
    await running
    expect(of('user_followup_submit')).toMatchObject([{ prompt: 'bad' }, { prompt: 'good' }])
    expect(of('user_prompt_submit')).toHaveLength(1)
    expect(requests.map(({ messages }) => texts(messages, 'user').at(-1))).toEqual(['first', 'good'])
    expect(texts(requests[1]!.messages, 'system')).toEqual(['A follow-up.'])
  })
})

describe('on_user_input', () => {
  it('is raised when the agent waits for a person, and not when there is none', async () => {
    const person = { approve: never, answer: never, goOn: never }
    const watched = await stage({ person })
    await watched.agent.prompt('hello')
    expect(watched.raised.at(-1)?.event).toBe('on_user_input')
    expect(keysOf(watched.of('on_user_input')[0])).toEqual(keys())
    const alone = await stage({})
    await alone.agent.prompt('hello')
    expect(alone.of('on_user_input')).toEqual([])
  })
})
