import { describe, expect, it } from 'vitest'
import { broken, echo, makeTool, type Setting, type Stage, texts } from '../../hookline/test/support/agent.ts'
import { keys, keysOf, never, stages, until } from '../../hookline/test/support/stages.ts'
import { createPermissions, type Person } from '../src/index.ts'

const stage = stages()
const call = (text: unknown = 'a', tool = 'echo') => ({ call: { tool, input: { text } } })
const nothing = { allow: [], ask: [], deny: [] }
const undecided = () => createPermissions({ team: nothing })
const answering = (...answers: Awaited<ReturnType<Person['approve']>>[]): Person & { prompts: unknown[] } => {
  const prompts: unknown[] = []
  return {
    prompts,
    async approve(request) {
      prompts.push(request)
      return answers.length > 1 ? answers.shift()! : answers[0]!
    },
    answer: async () => '',
    goOn: async () => false,
  }
}
const about = ['turn_id', 'tool_name', 'tool_use_id', 'tool_input', 'tool_category']
const lineOf = ({ raised }: Stage) =>
  raised.map(({ event }) => event).filter((event) => /tool|permission/.test(event) || event === 'on_user_input')

/** Takes what the model wrote, and nothing after it. */
function parseOnce(first: typeof echo.parse, then: typeof echo.parse): typeof echo.parse {
  let times = 0
  return (input) => (times++ === 0 ? first(input) : then(input))
}

async function run(setting: Setting): Promise<Stage> {
  const one = await stage({ turns: [call()], tools: [echo], ...setting })
  await one.agent.prompt('go')
  return one
}
const results = ({ agent }: Stage) => agent.messages.filter((message) => message.role === 'tool')

describe('the line of one call', () => {
  it('goes through every step when none has decided', async () => {
    const one = await run({ permissions: undecided(), person: answering({ answer: 'once' }) })
    expect(lineOf(one)).toEqual([
      'pre_tool_use',
      'tool_guard',
      'permission_request',
      'on_user_input',
      'on_tool_approval_decision',
      'tool_response_transform',
      'post_tool_use',
      'on_user_input',
    ])
    expect(keysOf(one.of('pre_tool_use')[0])).toEqual(keys(...about))
    expect(keysOf(one.of('tool_guard')[0])).toEqual(keys(...about))
    expect(keysOf(one.of('permission_request')[0])).toEqual(keys(...about))
    expect(keysOf(one.of('on_tool_approval_decision')[0])).toEqual(
      keys(...about, 'approval_decision', 'approval_source'),
    )
    expect(keysOf(one.of('tool_response_transform')[0])).toEqual(keys(...about, 'tool_response', 'tool_error'))
    expect(keysOf(one.of('post_tool_use')[0])).toEqual(keys(...about, 'tool_response', 'tool_error', 'success'))
    expect(one.of('pre_tool_use')[0]).toMatchObject({
      tool_name: 'echo',
      tool_input: { text: 'a' },
      tool_category: 'test',
    })
  })

  it('carries the ruling of the rules into the payload of hooks', async () => {
    const one = await run({ permissions: createPermissions({ team: { ...nothing, allow: ['echo'] } }) })
    expect(one.of('pre_tool_use')[0]).toMatchObject({ permission_rule: 'allow' })
    expect(lineOf(one)).not.toContain('permission_request')
    expect(one.of('on_tool_approval_decision')).toMatchObject([
      { approval_decision: 'allow', approval_source: 'team_permissions_allow' },
    ])
  })
})

describe('pre_tool_use', () => {
  it('deny: the tool does not run, the model reads why', async () => {
    let ran = false
    const one = await run({
      tools: [
        makeTool('echo', async () => {
          ran = true
          return { content: '' }
        }),
      ],
      prepare: (hooks) => void hooks.on('pre_tool_use', () => ({ decision: { ruling: 'deny', reason: 'Too risky.' } })),
    })
    expect(ran).toBe(false)
    expect(results(one)).toMatchObject([{ content: 'Refused: Too risky.', error: true }])
    expect(one.requests[1]!.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Refused: Too risky.' })
    expect(one.of('on_tool_approval_decision')).toMatchObject([
      { approval_decision: 'deny', approval_source: 'pre_tool_use_hook_deny' },
    ])
    expect(lineOf(one)).toEqual(['pre_tool_use', 'on_tool_approval_decision'])
  })

  it('halt: the run ends', async () => {
    const one = await run({
      prepare: (hooks) => void hooks.on('pre_tool_use', () => ({ halt: { reason: 'Over.' } })),
    })
    expect(one.requests).toHaveLength(1)
    expect(results(one)).toMatchObject([{ content: 'Refused: Over.' }])
  })

  it('rewrite: guards, rules and the tool see the new input', async () => {
    const one = await run({
      permissions: createPermissions({ team: { ...nothing, allow: ['*'], deny: ['echo:text=bad'] } }),
      prepare: (hooks) => void hooks.on('pre_tool_use', () => ({ rewrite: { mode: 'merge', value: { text: 'bad' } } })),
    })
    expect(one.of('tool_guard')).toMatchObject([{ tool_input: { text: 'bad' } }])
    expect(one.of('on_tool_approval_decision')).toMatchObject([{ approval_source: 'team_permissions_deny' }])
    expect(results(one)).toMatchObject([{ error: true }])
  })

  it('a rewrite that the tool does not accept is an error result', async () => {
    const picky = makeTool('echo', echo.run, {
      parse: (input) =>
        typeof input['text'] === 'string' ? { ok: true, input } : { ok: false, problem: '`text` must be a string' },
    })
    const one = await run({
      tools: [picky],
      prepare: (hooks) => void hooks.on('pre_tool_use', () => ({ rewrite: { mode: 'replace', value: { text: 5 } } })),
    })
    expect(results(one)[0]?.content).toMatch(/rewrote.*`text` must be a string/)
  })

  it('context reaches the model also when the call is refused, by whomever', async () => {
    const context = ['Use the staging key.']
    for (const setting of [
      { effects: { context, decision: { ruling: 'deny', reason: 'no' } } },
      { effects: { context }, permissions: createPermissions({ team: { ...nothing, deny: ['echo'] } }) },
      { effects: { context }, permissions: undecided(), person: answering({ answer: 'no' }) },
    ] as const) {
      const { effects, ...more } = setting
      const one = await run({ ...more, prepare: (hooks) => void hooks.on('pre_tool_use', () => effects as never) })
      expect(results(one)).toMatchObject([{ error: true }])
      expect(texts(one.requests[1]!.messages, 'system')).toEqual(context)
    }
  })

  it('context reaches the next model call and no transcript', async () => {
    const one = await run({
      prepare: (hooks) => void hooks.on('pre_tool_use', () => ({ context: ['Mind the step.'] })),
    })
    expect(texts(one.requests[1]!.messages, 'system')).toEqual(['Mind the step.'])
    expect(texts(one.agent.messages, 'system')).toEqual([])
  })

  it('allow skips the prompt', async () => {
    const person = answering({ answer: 'no' })
    const one = await run({
      permissions: undecided(),
      person,
      prepare: (hooks) => void hooks.on('pre_tool_use', () => ({ decision: { ruling: 'allow', reason: '' } })),
    })
    expect(person.prompts).toEqual([])
    expect(one.of('on_tool_approval_decision')).toMatchObject([{ approval_source: 'pre_tool_use_hook_allow' }])
  })

  it('ask prompts, whatever rules and yolo allow and the person has granted', async () => {
    const person = answering({ answer: 'tool' })
    const addAskingHook: Setting['prepare'] = (hooks) =>
      void hooks.on('pre_tool_use', () => ({ decision: { ruling: 'ask', reason: 'Look first.' } }))
    for (const permissions of [
      createPermissions({ team: { ...nothing, allow: ['*'] } }),
      createPermissions({ yolo: true }),
    ])
      await run({ turns: [call(1), call(2)], permissions, person, prepare: addAskingHook })
    expect(person.prompts).toHaveLength(4)
    expect(person.prompts).toMatchObject(Array(4).fill({ reason: 'Look first.' }))
    const nobody = await run({ permissions: createPermissions({ yolo: true }), prepare: addAskingHook })
    expect(nobody.of('on_tool_approval_decision')).toMatchObject([{ approval_source: 'non_interactive_deny' }])
  })

  it('allow never overrides a deny rule', async () => {
    const one = await run({
      permissions: createPermissions({ team: { ...nothing, deny: ['echo'] } }),
      prepare: (hooks) => void hooks.on('pre_tool_use', () => ({ decision: { ruling: 'allow', reason: '' } })),
    })
    expect(results(one)[0]).toMatchObject({ error: true })
    expect(one.of('on_tool_approval_decision')).toMatchObject([{ approval_source: 'team_permissions_deny' }])
  })
})

describe('tool_guard', () => {
  it('ask always prompts, whatever rules, yolo and other hooks allow; only the person answers', async () => {
    const person = answering({ answer: 'once' })
    const one = await run({
      permissions: createPermissions({ yolo: true }),
      person,
      prepare(hooks) {
        hooks.on('pre_tool_use', () => ({ decision: { ruling: 'allow', reason: '' } }))
        hooks.on('permission_request', () => ({ decision: { ruling: 'allow', reason: '' } }))
        hooks.on('tool_guard', () => ({ decision: { ruling: 'ask', reason: 'Deletes files.' } }))
      },
    })
    expect(person.prompts).toMatchObject([{ reason: 'Deletes files.', call: { name: 'echo' } }])
    expect(lineOf(one)).not.toContain('permission_request')
    expect(one.of('on_tool_approval_decision')).toMatchObject([{ approval_source: 'user_approved' }])
  })

  it('deny refuses; allow is only advice', async () => {
    const denied = await run({
      prepare: (hooks) => void hooks.on('tool_guard', () => ({ decision: { ruling: 'deny', reason: 'never' } })),
    })
    expect(denied.of('on_tool_approval_decision')).toMatchObject([{ approval_source: 'tool_guard_deny' }])
    const person = answering({ answer: 'once' })
    await run({
      permissions: undecided(),
      person,
      prepare: (hooks) => void hooks.on('tool_guard', () => ({ decision: { ruling: 'allow', reason: '' } })),
    })
    expect(person.prompts).toHaveLength(1)
  })
})

describe('permission_request', () => {
  it.each([
    ['allow', 'permission_request_hook_allow', 'echo: a'],
    ['deny', 'permission_request_hook_deny', 'Refused: by policy'],
  ] as const)('%s answers for the person', async (ruling, source, content) => {
    const person = answering({ answer: 'once' })
    const one = await run({
      permissions: undecided(),
      person,
      prepare: (hooks) => void hooks.on('permission_request', () => ({ decision: { ruling, reason: 'by policy' } })),
    })
    expect(person.prompts).toEqual([])
    expect(one.of('on_tool_approval_decision')).toMatchObject([{ approval_source: source }])
    expect(results(one)[0]).toMatchObject({ content })
  })

  it('a rewrite there is judged again by guards and rules', async () => {
    const one = await run({
      permissions: createPermissions({ team: { ...nothing, deny: ['echo:text=bad'] } }),
      prepare: (hooks) =>
        void hooks.on('permission_request', () => ({
          decision: { ruling: 'allow', reason: '' },
          rewrite: { mode: 'merge', value: { text: 'bad' } },
        })),
    })
    expect(one.of('tool_guard').map((payload) => payload['tool_input'])).toEqual([{ text: 'a' }, { text: 'bad' }])
    expect(results(one)[0]).toMatchObject({ error: true })
  })

  it('gets the ruling of the rules; a rewrite that the tool does not accept is blocked in its name', async () => {
    const one = await run({
      tools: [
        makeTool('echo', echo.run, {
          parse: (input) => (input['text'] === 5 ? { ok: false, problem: 'no 5' } : { ok: true, input }),
        }),
      ],
      permissions: createPermissions({ team: { ...nothing, ask: ['echo'] } }),
      prepare: (hooks) =>
        void hooks.on('permission_request', () => ({ rewrite: { mode: 'merge', value: { text: 5 } } })),
    })
    expect(one.of('permission_request')).toMatchObject([{ permission_rule: 'ask' }])
    expect(one.of('on_tool_approval_decision')).toMatchObject([{ approval_source: 'permission_request_hook_deny' }])
  })

  it('metadata of hooks reaches the prompt; a guard has the last word', async () => {
    const person = answering({ answer: 'once' })
    await run({
      permissions: undecided(),
      person,
      prepare(hooks) {
        hooks.on('tool_guard', () => ({ metadata: { blast_radius: 'high' } }))
        hooks.on('permission_request', () => ({ metadata: { note: 'n', blast_radius: 'low' } }))
      },
    })
    expect(person.prompts).toMatchObject([{ metadata: { note: 'n', blast_radius: 'high' } }])
  })
})

describe('the person', () => {
  it.each([
    [{ answer: 'once' }, 'user_approved', 2],
    [{ answer: 'tool' }, 'user_approved_tool', 1],
    [{ answer: 'session' }, 'user_approved_session', 1],
    [{ answer: 'no', reason: 'later' }, 'user_rejected', 2],
  ] as const)('%o: %s', async (answer, source, prompts) => {
    const person = answering(answer)
    const one = await run({ turns: [call(), call()], permissions: undecided(), person })
    expect(one.of('on_tool_approval_decision')[0]).toMatchObject({ approval_source: source })
    expect(person.prompts).toHaveLength(prompts)
    if (answer.answer === 'no') expect(results(one)[0]?.content).toBe('Refused: The user said no: later')
  })

  it('gets one question at a time, also from calls of one batch', async () => {
    let open = 0
    let most = 0
    const person: Person = {
      async approve() {
        most = Math.max(most, ++open)
        await new Promise((resolve) => setTimeout(resolve, 5))
        open -= 1
        return { answer: 'once' }
      },
      answer: async () => '',
      goOn: async () => false,
    }
    const batch = [1, 2, 3].map((text) => ({ tool: 'echo', input: { text } }))
    const one = await run({ turns: [{ call: batch }], permissions: undecided(), person })
    expect(most).toBe(1)
    expect(results(one).map(({ content }) => content)).toEqual(['echo: 1', 'echo: 2', 'echo: 3'])
  })

  it('who changes the arguments is asked about what they are then; hooks judge that, and the model knows', async () => {
    const person = answering({ answer: 'edit', input: { text: 'b' } }, { answer: 'once' })
    const one = await run({ permissions: undecided(), person })
    expect(person.prompts).toMatchObject([{ call: { input: { text: 'a' } } }, { call: { input: { text: 'b' } } }])
    for (const event of ['pre_tool_use', 'tool_guard', 'permission_request'] as const)
      expect(one.of(event)).toMatchObject([{ tool_input: { text: 'a' } }, { tool_input: { text: 'b' } }])
    expect(one.of('on_tool_approval_decision')).toMatchObject([
      { tool_input: { text: 'b' }, approval_decision: 'allow' },
    ])
    expect(results(one)[0]?.content).toBe('echo: b')
    expect(JSON.stringify(one.requests.at(-1)?.messages)).toContain(
      'The user changed the arguments of this call of `echo` to {\\"text\\":\\"b\\"}.',
    )
  })

  it('who changes them into what a hook forbids, or the tool does not take, runs nothing', async () => {
    const forbidden = answering({ answer: 'edit', input: { text: 'b' } }, { answer: 'once' })
    const denied = await run({
      permissions: undecided(),
      person: forbidden,
      prepare: (hooks) =>
        void hooks.on('pre_tool_use', ({ payload }) =>
          payload.tool_input['text'] === 'b' ? { decision: { ruling: 'deny', reason: 'No b.' } } : {},
        ),
    })
    expect(results(denied)).toMatchObject([{ content: 'Refused: No b.', error: true }])
    expect(forbidden.prompts).toHaveLength(1)
    const other = { permissions: undecided(), person: answering({ answer: 'edit', input: { other: 1 } }) }
    const picky = { ...echo, parse: () => ({ ok: false, problem: 'no text' }) as const }
    expect(results(await run(other))[0]?.content).toContain('The user gave the same arguments again')
    const wrong = await run({ ...other, tools: [{ ...picky, parse: parseOnce(echo.parse, picky.parse) }] })
    expect(results(wrong)[0]?.content).toMatch(
      /The user changed the arguments of `echo` into something it does not take/,
    )
  })

  it('who is not there refuses, with docker-agent’s words', async () => {
    const one = await run({ permissions: undecided() })
    expect(results(one)[0]?.content).toContain(
      "Tool 'echo' requires user confirmation but the session is non-interactive.",
    )
    expect(one.of('on_tool_approval_decision')).toMatchObject([{ approval_source: 'non_interactive_deny' }])
  })

  it('who leaves during a question cancels', async () => {
    const person: Person = { approve: never as never, answer: never, goOn: never }
    const one = await stage({
      turns: [call()],
      tools: [echo],
      permissions: undecided(),
      person: {
        ...person,
        approve: (_request, signal) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      },
    })
    const running = one.agent.prompt('go')
    await until(() => one.of('on_user_input').length === 1)
    one.agent.cancel()
    expect((await running).reason).toBe('canceled')
    expect(one.of('on_tool_approval_decision')).toMatchObject([
      { approval_decision: 'canceled', approval_source: 'context_canceled' },
    ])
    expect(one.of('turn_end')).toMatchObject([{ reason: 'canceled' }])
    expect(results(one)).toMatchObject([{ error: true }])
  })
})

it('a hook that was still thinking when the user stopped the run has decided nothing', async () => {
  const one = await stage({
    turns: [call()],
    tools: [echo],
    prepare: (hooks) => void hooks.on('pre_tool_use', () => never()),
  })
  const running = one.agent.prompt('go')
  await until(() => one.of('pre_tool_use').length === 1)
  one.agent.cancel()
  expect((await running).reason).toBe('canceled')
  expect(one.of('on_tool_approval_decision')).toMatchObject([{ approval_source: 'context_canceled' }])
})

describe('tool_response_transform and post_tool_use', () => {
  it('rewrite what everyone after them sees', async () => {
    const one = await run({
      prepare(hooks) {
        hooks.on('tool_response_transform', () => ({ rewrite: { mode: 'replace', value: 'clean' } }))
        hooks.on('post_tool_use', ({ payload }) => ({
          rewrite: { mode: 'replace', value: `${String(payload.tool_response)} and checked` },
        }))
      },
    })
    expect(one.of('post_tool_use')).toMatchObject([{ tool_response: 'clean' }])
    expect(results(one)[0]?.content).toBe('clean and checked')
    expect(one.happenings.filter(({ type }) => type === 'tool_result')).toMatchObject([
      { content: 'clean and checked' },
    ])
    expect(JSON.stringify(one.requests)).not.toContain('echo: a')
  })

  it('are raised for failures too, so that a secret in an error is masked', async () => {
    const one = await run({
      turns: [call('x', 'broken')],
      tools: [broken],
      prepare: (hooks) =>
        void hooks.on('tool_response_transform', () => ({ rewrite: { mode: 'replace', value: '***' } })),
    })
    expect(one.of('post_tool_use_failure')).toMatchObject([{ error: '***', tool_response: '***' }])
    expect(results(one)[0]).toMatchObject({ content: '***', error: true })
  })

  it('a denied result stops the run after the batch', async () => {
    const batch = [1, 2].map((text) => ({ tool: 'echo', input: { text } }))
    const one = await run({
      turns: [{ call: batch }],
      prepare: (hooks) =>
        void hooks.on('post_tool_use', ({ payload }) =>
          payload.tool_input['text'] === 1 ? { decision: { ruling: 'deny', reason: 'Look at this.' } } : undefined,
        ),
    })
    expect(results(one).map(({ content }) => content)).toEqual(['echo: 1', 'echo: 2'])
    expect(one.requests).toHaveLength(1)
  })

  it('a halt stops the other calls at once, and each result says so', async () => {
    const slow = makeTool(
      'slow',
      (_input, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    const one = await run({
      turns: [{ call: [{ tool: 'slow' }, { tool: 'echo', input: { text: 1 } }] }],
      tools: [slow, echo],
      prepare: (hooks) => void hooks.on('post_tool_use', { tool: 'echo' }, () => ({ halt: { reason: 'stop' } })),
    })
    expect(results(one).map(({ content }) => content)).toEqual([
      'Not finished: the run ended because of another call of the same batch.',
      'echo: 1',
    ])
    expect(one.requests).toHaveLength(1)
  })

  it('a started call raises its closing events: after a halt, a stopped run, a tool that does not stop', async () => {
    const halted = await run({
      prepare: (hooks) => void hooks.on('tool_response_transform', () => ({ halt: { reason: 'stop' } })),
    })
    expect(halted.of('post_tool_use')).toMatchObject([{ tool_response: 'echo: a' }])
    expect(halted.requests).toHaveLength(1)
    let began = false
    const deaf = makeTool('deaf', () => {
      began = true
      return never()
    })
    const stopped = await stage({ turns: [call('x', 'deaf')], tools: [deaf] })
    const running = stopped.agent.prompt('go')
    await until(() => began)
    stopped.agent.cancel()
    expect(await running).toMatchObject({ reason: 'canceled' })
    expect(lineOf(stopped).slice(-3)).toEqual(['tool_response_transform', 'post_tool_use_failure', 'post_tool_use'])
    expect(stopped.of('post_tool_use')).toMatchObject([
      { tool_error: true, error: expect.stringContaining('Canceled') },
    ])
    expect(stopped.raised.at(-1)).toMatchObject({ event: 'after_run' })
  })

  it.each(['tool_response_transform', 'post_tool_use'] as const)(
    'what hooks of %s had not seen to its end when the run was stopped is shown to nobody',
    async (event) => {
      const one = await stage({
        turns: [call('secret')],
        tools: [echo],
        prepare: (hooks) => void hooks.on(event, () => never()),
      })
      const running = one.agent.prompt('go')
      await until(() => one.of(event).length === 1)
      one.agent.cancel()
      await running
      expect(JSON.stringify([results(one), one.happenings.filter(({ type }) => type === 'tool_result')])).not.toContain(
        'echo: secret',
      )
      expect(one.of('post_tool_use')).toHaveLength(1)
    },
  )

  it('context is seen by the next call of the model', async () => {
    const one = await run({
      turns: [call('x', 'broken')],
      tools: [broken],
      prepare: (hooks) => void hooks.on('post_tool_use_failure', () => ({ context: ['Try again slowly.'] })),
    })
    expect(texts(one.requests[1]!.messages, 'system')).toEqual(['Try again slowly.'])
    expect(keysOf(one.of('post_tool_use_failure')[0])).toEqual(keys(...about, 'error', 'tool_response'))
  })
})

describe('a call that cannot be made', () => {
  it.each([
    ['an unknown tool', { tool: 'ecco' }, /no tool `ecco`.*`?echo/s],
    ['arguments that cannot be read', { tool: 'echo', invalid: '{"text": ' }, /could not be read/],
  ])('%s is reported to the model, and no tool runs', async (_what, wrong, expected) => {
    const one = await run({ turns: [{ call: wrong }] })
    expect(results(one)[0]?.content).toMatch(expected)
    expect(one.of('on_tool_approval_decision')).toMatchObject([{ approval_decision: 'deny' }])
    expect(one.of('tool_response_transform')).toEqual([])
    expect(one.happenings.filter(({ type }) => type === 'tool_call')).toHaveLength(1)
  })

  it('a break-down while one is judged fails the run, and every call of the batch has its result', async () => {
    const breaking = makeTool('breaking', echo.run, {
      readOnly: () => {
        throw new Error('no idea')
      },
    })
    const one = await stage({
      turns: [{ call: [{ tool: 'slow' }, { tool: 'breaking' }, { tool: 'slow' }] }],
      tools: [breaking, makeTool('slow', never)],
    })
    expect(await one.agent.prompt('go')).toMatchObject({ reason: 'error', detail: 'no idea' })
    expect(results(one).map(({ content }) => content)).toEqual([
      'Not finished: the run ended because of another call of the same batch.',
      'Not run: no idea',
      'Not finished: the run ended because of another call of the same batch.',
    ])
    const order = one.raised.map(({ event }) => event)
    expect(order.slice(order.indexOf('on_error'))).toEqual(['on_error', 'notification', 'turn_end', 'run_error'])
    expect(await one.agent.prompt('again')).toMatchObject({ reason: 'normal' })
  })

  it('a tool that throws is an error for the model, not for us', async () => {
    const thrower = makeTool('echo', async () => {
      throw new Error('disk full')
    })
    const one = await run({ tools: [thrower] })
    expect(results(one)[0]).toMatchObject({ content: 'disk full', error: true })
  })
})

describe('hooks of a call that cannot be made', () => {
  const strict = makeTool('strict', async () => ({ content: 'ran' }), {
    parse: () => ({ ok: false, problem: '`path` is missing.' }),
  })

  it.each([
    ['a tool that is not there', call('a', 'nothing'), 'unknown_tool', 'There is no tool `nothing`.'],
    ['wrong arguments', call('a', 'strict'), 'invalid_arguments', '`path` is missing.'],
  ])('%s: hooks see the attempt, the refusal and the failure', async (_what, turn, source, text) => {
    const one = await run({ turns: [turn], tools: [echo, strict] })
    expect(lineOf(one)).toEqual(['pre_tool_use', 'on_tool_approval_decision', 'post_tool_use_failure', 'post_tool_use'])
    expect(one.of('pre_tool_use')[0]).toMatchObject({ tool_name: turn.call.tool, tool_input: { text: 'a' } })
    expect(one.of('on_tool_approval_decision')).toMatchObject([{ approval_decision: 'deny', approval_source: source }])
    expect(one.of('post_tool_use')).toMatchObject([
      { tool_error: true, success: false, tool_response: expect.stringContaining(text) },
    ])
    expect(results(one)).toMatchObject([{ error: true, content: expect.stringContaining(text) }])
  })

  it('what a hook makes of the arguments is what later hooks see', async () => {
    const one = await run({
      turns: [call('hunter2', 'nothing')],
      prepare: (hooks) =>
        void hooks.on('pre_tool_use', () => ({ rewrite: { mode: 'merge', value: { text: '[REDACTED]' } } })),
    })
    for (const event of ['on_tool_approval_decision', 'post_tool_use_failure', 'post_tool_use'] as const)
      expect(one.of(event), event).toMatchObject([{ tool_input: { text: '[REDACTED]' } }])
  })

  it('a hook may end the run because of it', async () => {
    const one = await stage({
      turns: [call('a', 'nothing')],
      prepare: (hooks) => void hooks.on('pre_tool_use', () => ({ halt: { reason: 'It makes tools up.' } })),
    })
    expect(await one.agent.prompt('go')).toMatchObject({ reason: 'halted', detail: 'It makes tools up.' })
  })
})

describe('a call that only our reading of it calls harmless', () => {
  const shell = makeTool('shell', async ({ command }) => ({ content: `ran ${command}` }), {
    category: 'shell',
    readOnly: () => true,
  })
  const annotated = makeTool('look', async () => ({ content: 'looked' }), { readOnly: () => true, onlyReads: true })
  const look = { call: { tool: 'shell', input: { command: 'cat customers.csv' } } }
  const ofDockerAgent = (event: string, command: string) => {
    const hooks = { [event]: [{ matcher: 'shell|look', hooks: [{ type: 'command', command }] }] }
    return [{ file: 'agent.yaml', layer: 'code', dialect: 'docker-agent', text: JSON.stringify({ hooks }) }] as const
  }

  it('runs without a person when no hook objects, and no native hook hears of a question', async () => {
    let asked = 0
    const one = await run({
      turns: [look],
      tools: [shell],
      permissions: undecided(),
      prepare: (hooks) => void hooks.on('permission_request', () => void asked++),
    })
    expect(results(one)).toMatchObject([{ content: 'ran cat customers.csv' }])
    expect(one.of('on_tool_approval_decision')).toMatchObject([{ approval_source: 'readonly_hint' }])
    expect(asked).toBe(0)
  })

  it.each(['pre_tool_use', 'permission_request'])(
    '%s of docker-agent runs for it, and its exit 2 blocks',
    async (event) => {
      const files = ofDockerAgent(event, 'echo "No customer data." >&2; exit 2')
      const one = await run({ turns: [look], tools: [shell], permissions: undecided(), files })
      expect(results(one)).toMatchObject([{ error: true, content: expect.stringContaining('No customer data.') }])
      const free = await run({
        turns: [{ call: { tool: 'look', input: {} } }],
        tools: [annotated],
        permissions: undecided(),
        files,
      })
      expect(results(free), 'the annotation of a tool counts, as it does there').toMatchObject([{ content: 'looked' }])
    },
  )

  it('what its pre_tool_use makes of it runs: `ls` gets its `-h`', async () => {
    const inject = `sed 's/.*"cmd":"ls".*/{"hook_specific_output":{"updated_input":{"cmd":"ls -h"}}}/'`
    const files = ofDockerAgent('pre_tool_use', inject)
    const turns = [{ call: { tool: 'shell', input: { command: 'ls' } } }]
    const one = await run({ turns, tools: [shell], permissions: undecided(), files })
    expect(results(one)).toMatchObject([{ content: 'ran ls -h' }])
  })
})

it('without a hook that limits results, the model gets the two ends of one that is far too long', async () => {
  const lines = Array.from({ length: 100_000 }, (_, at) => `line ${at}`).join('\n')
  const one = await run({ tools: [makeTool('echo', async () => ({ content: lines }))] })
  const [result] = results(one)
  expect(result!.content.length).toBeLessThan(140_000)
  expect(result!.content).toMatch(/^line 0\n[\s\S]*left out[\s\S]*line 99999$/)
  expect(one.of('post_tool_use')[0]?.['tool_response']).toHaveLength(lines.length)
})
