import * as acp from '@agentclientprotocol/sdk'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { between, type Came, methods, type Step } from './support.ts'

const key = `AKIA${'QWERTYUIOPASDFGH'}`
const read = (path: string, more: object = {}): Step => ({
  request: methods.fs.readTextFile,
  params: { path, ...more },
})
const write = (path: string, content: string): Step => ({
  request: methods.fs.writeTextFile,
  params: { path, content },
})
const create = (command: string, args?: string[], more: object = {}): Step => ({
  request: methods.terminal.create,
  params: { command, ...(args && { args }), ...more },
})
const options: acp.PermissionOption[] = [
  { optionId: 'y', name: 'Yes', kind: 'allow_once' },
  { optionId: 'Y', name: 'Always', kind: 'allow_always' },
  { optionId: 'n', name: 'No', kind: 'reject_once' },
]
const permission = (toolCall: object, id = 'c1'): Step => ({
  request: methods.session.requestPermission,
  params: { toolCall: { toolCallId: id, ...toolCall }, options },
})
const running = (command: string) => permission({ kind: 'execute', title: 'Run it', rawInput: { command } })
const chosen = ({ result }: Came) =>
  (result?.['outcome'] as { optionId?: string; outcome: string } | undefined)?.optionId

async function opened(...given: Parameters<typeof between>) {
  const editor = await between(...given)
  const { sessionId } = await editor.open()
  return { ...editor, sessionId, play: (...steps: Step[]) => editor.play(sessionId, ...steps) }
}

describe('what is not judged goes through as it is', () => {
  it('an editor and an agent see the same with the guard as without', async () => {
    const look = async (options?: Parameters<typeof between>[0]) => {
      const { agent, open, prompt, play, files, answers, outputs, updates, requests, questions, notified, text } =
        await between(options, { always: true })
      const { initialized, session, sessionId } = await open()
      files.set('/a.txt', 'one\ntwo')
      answers.push('allow_always')
      outputs.push({ output: 'hello', truncated: false, exitStatus: { exitCode: 0 } })
      await expect.poll(text).toBe('ready')
      const results = await play(
        sessionId,
        read('/a.txt', { line: 1, limit: 5, _meta: { x: 1 } }),
        read('/missing'),
        write('/b.txt', 'new'),
        create('echo', ['hello'], { env: [{ name: 'CI', value: '1' }], cwd: '/project', outputByteLimit: 10 }),
        { request: methods.terminal.waitForExit, params: { terminalId: 't4' } },
        { request: methods.terminal.output, params: { terminalId: 't4' } },
        { request: methods.terminal.kill, params: { terminalId: 't4' } },
        { request: methods.terminal.release, params: { terminalId: 't4' } },
        permission({ kind: 'think', title: 'Think' }),
        { request: '_shop/price', params: { of: ['x'] } },
        { notify: '_shop/tick', params: { at: 1 } },
        { notify: methods.session.update, params: { update: { sessionUpdate: 'plan', entries: [] } } },
      )
      const ends = [
        await prompt(sessionId, 'hello'),
        await agent.request(acp.methods.agent.session.setMode, { sessionId, modeId: 'b' }),
        await agent.request('_shop/order', { of: [1, { y: null }] }),
        await agent.request(acp.methods.agent.session.load, { sessionId: 'old', cwd: '/p', mcpServers: [] }),
        await agent.request(acp.methods.agent.session.resume, { sessionId: 'older', cwd: '/p', mcpServers: [] }),
        await agent.request(acp.methods.agent.session.close, { sessionId }),
      ]
      return { initialized, session, results, ends, updates, requests, questions, notified, files: [...files] }
    }
    const plain = await look()
    expect(plain.results.filter(({ error }) => error)).toHaveLength(1)
    expect(await look({})).toEqual(plain)
  })

  it('cancelling a turn, and taking a request back', async () => {
    const { agent, prompt, play, sessionId } = await opened({})
    const [late] = await play({ ...read('/never'), late: true })
    expect(late?.error?.code).toBe(-32800)
    const turn = prompt(sessionId, JSON.stringify([{ waits: true }]))
    await agent.notify(acp.methods.agent.session.cancel, { sessionId })
    expect(await turn).toMatchObject({ stopReason: 'cancelled' })
  })

  it('another version of the protocol, which hooks could not judge, is not spoken', async () => {
    const { agent } = await between({})
    const answer = agent.request(acp.methods.agent.initialize, { protocolVersion: 2, clientCapabilities: {} })
    expect(await answer).toMatchObject({ protocolVersion: 1 })
  })
})

describe('files are judged as read_file and write_file', () => {
  it('what is denied never reaches the editor, and the agent gets the reason', async () => {
    const { play, requests, files } = await opened({
      rules: [
        { deny: { read: '**/.env' }, because: 'Secrets are in there.' },
        { deny: { write: '/etc/**' }, because: 'Not the system.' },
      ],
    })
    files.set('/p/.env', 'x')
    const [one, two] = await play(read('/p/.env'), write('/etc/passwd', 'x'))
    expect(one?.error?.message).toContain('Secrets are in there.')
    expect(two?.error?.message).toContain('Not the system.')
    expect(requests).toEqual([])
  })

  it('secrets are redacted in what is read and in errors', async () => {
    const { play, files } = await opened({ use: ['secrets'] })
    files.set('/a', `key ${key}`)
    const came = await play(read('/a'), read(`/no/${key}`))
    expect(came[0]?.result?.['content']).toMatch(/^key /)
    expect(JSON.stringify(came)).not.toContain(key)
  })

  it('the editor gets the input that hooks have left', async () => {
    const { play, requests, hooks } = await opened({})
    hooks.on('pre_tool_use', { tool: 'write_file' }, () => ({
      rewrite: { mode: 'merge', value: { content: 'mended' } },
    }))
    await play({ ...write('/a', 'broken'), params: { path: '/a', content: 'broken', _meta: { keep: 1 } } })
    expect(requests[0]?.params).toMatchObject({ path: '/a', content: 'mended', _meta: { keep: 1 } })
  })
})

describe('a question is a permission request of the editor', () => {
  const asking = { rules: [{ ask: { write: '/infra/**' as const }, because: 'Look first.' }] }
  for (const [answer, runs] of [
    ['allow_once', true],
    ['reject_once', false],
    [undefined, false],
  ] as const)
    it(`${answer ?? 'nobody'} ${runs ? 'lets it run' : 'refuses it'}`, async () => {
      const { play, answers, questions, files } = await opened(asking)
      if (answer) answers.push(answer)
      const [came] = await play(write('/infra/main.tf', 'x'))
      expect(questions).toHaveLength(1)
      expect(JSON.stringify(questions)).toContain('Look first.')
      expect(questions[0]?.toolCall).toMatchObject({ kind: 'edit', locations: [{ path: '/infra/main.tf' }] })
      expect(files.has('/infra/main.tf')).toBe(runs)
      expect(came?.error === undefined).toBe(runs)
    })
})

describe('terminals are judged as shell', () => {
  const pushes = { rules: [{ deny: { run: 'git push --force' }, because: 'No force.' }] }

  it.each([
    ['a line', create('git push --force origin main')],
    ['words', create('git', ['push', '--force'])],
    ['a shell with a script', create('bash', ['-c', 'git push --force'])],
    ['words that an editor could join for a shell', create('echo', ['x; git push --force'])],
  ])('%s', async (_name, step) => {
    const { play, requests } = await opened(pushes)
    const [came] = await play(step)
    expect(came?.error?.message).toContain('No force.')
    expect(requests).toEqual([])
  })

  it('a variable that loads code is part of the command, any other one is beside it', async () => {
    const { play, hooks } = await opened({})
    const seen: unknown[] = []
    hooks.on('pre_tool_use', ({ payload }) => void seen.push(payload.tool_input))
    const variables = { LD_PRELOAD: '/tmp/a b.so', CI: '1' }
    await play(create('true', [], { env: Object.entries(variables).map(([name, value]) => ({ name, value })) }))
    expect(seen).toEqual([{ command: "LD_PRELOAD='/tmp/a b.so' true", env: variables }])
  })

  it('a command that hooks rewrote runs as they left it, as a line or in a shell', async () => {
    const { play, requests, hooks } = await opened({})
    hooks.on('pre_tool_use', { tool: 'shell' }, () => ({
      rewrite: { mode: 'merge', value: { command: 'pnpm install' } },
    }))
    await play(create('npm install'), create('npm', ['install']))
    expect(requests.map(({ params }) => params)).toMatchObject([
      { command: 'pnpm install' },
      { command: 'sh', args: ['-c', 'pnpm install'] },
    ])
  })

  it('the output is redacted, while it runs and at the end; hooks after the call run once', async () => {
    const { play, outputs, hooks } = await opened({ use: ['secrets'] })
    const after: unknown[] = []
    hooks.on('post_tool_use', ({ payload }) => void after.push([payload.tool_input, payload.tool_response]))
    const output = `it is ${key}`
    outputs.push({ output, truncated: false }, { output, truncated: false, exitStatus: { exitCode: 0 } })
    const poll: Step = { request: methods.terminal.output, params: { terminalId: 't1' } }
    const came = await play(create('cat key'), poll, poll, poll, {
      request: methods.terminal.release,
      params: { terminalId: 't1' },
    })
    expect(came.every(({ error }) => error === undefined)).toBe(true)
    expect(JSON.stringify(came)).not.toContain(key)
    expect(JSON.stringify(came[2])).toContain('it is ')
    expect(after).toEqual([[{ command: 'cat key' }, expect.not.stringContaining(key)]])
  })

  it('a terminal that is given back unread is over for hooks as well', async () => {
    const { play, outputs, hooks } = await opened({})
    const after: unknown[] = []
    hooks.on('post_tool_use', ({ payload }) => void after.push(payload.tool_response))
    outputs.push({ output: 'unread', truncated: false, exitStatus: { exitCode: 1 } })
    await play(create('make'), { request: methods.terminal.release, params: { terminalId: 't1' } })
    expect(after).toEqual(['unread'])
  })
})

describe('permission requests of the agent', () => {
  it('what hooks deny is answered for the person, and shown with its reason', async () => {
    const { play, questions, updates } = await opened({
      rules: [{ deny: { run: 'git push --force' }, because: 'No force.' }],
    })
    const [came] = await play(running('git push --force'))
    expect(chosen(came!)).toBe('n')
    expect(questions).toEqual([])
    await expect.poll(() => JSON.stringify(updates)).toContain('No force.')
  })

  it('what an allow rule covers is answered for the person', async () => {
    const { play, questions } = await opened({ rules: [{ allow: { run: 'git status' } }] })
    const [came] = await play(running('git status'))
    expect(chosen(came!)).toBe('y')
    expect(questions).toEqual([])
  })

  it('anything else goes to the person, without "always": who gave it would not be asked again', async () => {
    const { play, questions, answers } = await opened({})
    answers.push('allow_once', 'reject_once')
    const came = await play(running('make'), running('make'), running('make'))
    expect(came.map(chosen)).toEqual(['y', 'n', undefined])
    expect(questions[0]).toMatchObject({
      options: [{ optionId: 'y' }, { optionId: 'n' }],
      toolCall: { title: 'Run it' },
    })
  })

  it('a yes counts for the same call, once, when the agent brings it to the editor', async () => {
    const { play, questions, answers, requests } = await opened({
      rules: [{ ask: { run: 'npm publish' }, because: 'The world sees it.' }],
    })
    answers.push('allow_once')
    const came = await play(running('npm publish'), create('npm', ['publish']), create('npm', ['publish']))
    expect(JSON.stringify(questions[0])).toContain('The world sees it.')
    expect(came.map(({ error }) => error === undefined)).toEqual([true, true, false])
    expect(questions).toHaveLength(2)
    expect(requests).toHaveLength(1)
  })

  it('an input that hooks change cannot be carried: it is refused, and says so', async () => {
    const { play, hooks, updates } = await opened({})
    hooks.on('pre_tool_use', () => ({ rewrite: { mode: 'merge', value: { command: 'ls' } } }))
    const [came] = await play(running('rm x'))
    expect(chosen(came!)).toBe('n')
    await expect.poll(() => JSON.stringify(updates)).toContain('cannot carry')
  })

  it.each([
    ['read', { kind: 'read', locations: [{ path: '/s/key' }] }],
    ['read', { kind: 'read', rawInput: { file_path: '/s/key' } }],
    ['read', { kind: 'search', locations: [{ path: '/s' }] }],
    ['write', { kind: 'edit', locations: [{ path: '/s/key' }] }],
    ['write', { kind: 'other', content: [{ type: 'diff', path: '/s/key', oldText: 'a', newText: 'b' }] }],
    [
      'write',
      {
        kind: 'edit',
        content: [
          { type: 'diff', path: '/a', newText: '' },
          { type: 'diff', path: '/s/key', newText: '' },
        ],
      },
    ],
    ['delete', { kind: 'delete', locations: [{ path: '/s/key' }] }],
    ['delete', { kind: 'move', locations: [{ path: '/a' }, { path: '/s/key' }] }],
    ['fetch', { kind: 'fetch', rawInput: { url: 'https://s.example/x' } }],
    ['run', { kind: 'execute', title: '`secret --now`' }],
    ['run', { kind: 'execute', rawInput: { command: ['bash', '-lc', 'secret --now'] } }],
    ['run', { rawInput: { command: 'secret' } }],
    ['tool', { name: 'secret_tool', rawInput: { a: 1 } }],
  ])('%s: %j', async (action, call) => {
    const about = { fetch: 's.example', run: 'secret', tool: 'secret_tool' }[action] ?? '/s/**'
    const { play, questions } = await opened({ rules: [{ deny: { [action]: about }, because: 'It is one.' }] })
    // What it is about may have been said before.
    const [came] = await play(
      {
        notify: methods.session.update,
        params: { update: { sessionUpdate: 'tool_call', toolCallId: 'c1', title: 't', ...call } },
      },
      permission({}),
    )
    expect(chosen(came!)).toBe('n')
    expect(questions).toEqual([])
  })

  it('hooks see the end of a call that the agent runs itself, and of one it brings here only once', async () => {
    const { play, answers, hooks, outputs } = await opened({})
    const after: unknown[] = []
    hooks.on('post_tool_use', ({ payload }) => void after.push([payload.tool_input, payload.tool_response]))
    answers.push('allow_once', 'allow_once')
    const done = (toolCallId: string): Step => ({
      notify: methods.session.update,
      params: { update: { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', rawOutput: 'made' } },
    })
    outputs.push({ output: 'built', truncated: false, exitStatus: { exitCode: 0 } })
    await play(
      permission({ kind: 'execute', rawInput: { command: 'make' } }, 'own'),
      done('own'),
      permission({ kind: 'execute', rawInput: { command: 'build' } }, 'here'),
      create('build'),
      { request: methods.terminal.release, params: { terminalId: 't1' } },
      done('here'),
    )
    await expect
      .poll(() => after)
      .toEqual([
        [{ command: 'make' }, 'made'],
        [{ command: 'build' }, 'built'],
      ])
  })
})

describe('a run', () => {
  it('ends when a hook halts: the agent is cancelled, and nothing more of it is let through', async () => {
    const { play, hooks, sessionId, prompt, requests, text } = await opened({})
    const remove = hooks.on('pre_tool_use', () => ({ halt: { reason: 'Enough.' } }))
    const turn = prompt(sessionId, JSON.stringify([read('/a'), read('/b'), running('ls'), { waits: true }]))
    expect(await turn).toMatchObject({ stopReason: 'cancelled' })
    expect(requests).toEqual([])
    expect(text()).toContain('Enough.')
    remove()
    expect((await play(write('/a', 'x')))[0]?.error).toBeUndefined()
  })

  it('begins with the prompt that hooks have left, with what they add', async () => {
    const { hooks, sessionId, prompt, prompts } = await opened({})
    hooks.on('user_prompt_submit', () => ({
      rewrite: { mode: 'replace', value: 'use the key' },
      context: ['Be brief.'],
    }))
    await prompt(sessionId, `use ${key}`)
    expect(prompts).toEqual([['use the key', 'Be brief.'].map((text) => ({ type: 'text', text }))])
  })

  it('does not begin when a hook refuses the prompt, and the person reads why', async () => {
    const { hooks, sessionId, prompt, prompts, text } = await opened({})
    hooks.on('user_prompt_submit', () => ({ decision: { ruling: 'deny', reason: 'Not today.' } }))
    expect(await prompt(sessionId, 'hello')).toMatchObject({ stopReason: 'refusal' })
    expect(prompts).toEqual([])
    expect(text()).toContain('Not today.')
  })

  it('secrets are redacted in what the person writes, and in the files that go with it', async () => {
    const { agent, sessionId, prompts } = await opened({ use: ['secrets'] })
    const file = { uri: 'file:///p/.env', mimeType: 'text/plain', text: `KEY=${key}` }
    const picture: acp.ContentBlock = { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' }
    await agent.request(acp.methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text: `use ${key}` }, { type: 'resource', resource: file }, picture],
    })
    expect(prompts.at(-1)).toEqual([
      { type: 'text', text: 'use [REDACTED:aws-access-key-id]' },
      { type: 'resource', resource: { ...file, text: 'KEY=[REDACTED:aws-access-key-id]' } },
      picture,
    ])
  })

  it('a hook on messages refuses what goes to the agent, or adds to it', async () => {
    const { prompt, sessionId, prompts, hooks, text } = await opened({})
    hooks.on('before_llm_call', ({ payload }) =>
      payload.last_user_message === 'no'
        ? { decision: { ruling: 'deny', reason: 'Not now.' } }
        : { context: ['Mind.'] },
    )
    expect(await prompt(sessionId, 'no')).toMatchObject({ stopReason: 'refusal' })
    await expect.poll(text).toContain('Not now.')
    expect(prompts).toEqual([])
    await prompt(sessionId, 'hello')
    expect(prompts).toEqual([
      [
        { type: 'text', text: 'hello' },
        { type: 'text', text: 'Mind.' },
      ],
    ])
  })

  it('goes on when a hook sends the agent back', async () => {
    const { hooks, sessionId, prompt, prompts } = await opened({})
    const said: unknown[] = []
    hooks.on('stop', ({ payload }) => {
      said.push(payload.response)
      return said.length === 1 ? { decision: { ruling: 'deny', reason: 'Run the tests.' } } : undefined
    })
    expect(await prompt(sessionId, 'hello')).toMatchObject({ stopReason: 'end_turn' })
    expect(prompts.map((each) => each.map((part) => (part as { text: string }).text))).toEqual([
      ['hello'],
      ['Run the tests.'],
    ])
    expect(said).toEqual(['You said: hello', 'You said: Run the tests.'])
  })
})

describe('whatever comes', () => {
  it('the guard goes on, and nothing denied reaches the editor', async () => {
    const { play, up, outer, requests, files } = await opened({
      rules: [{ deny: { read: '/s/**' } }, { deny: { run: 'secret' } }],
    })
    files.set('/fine', 'x')
    const methodNames = [...Object.values(acp.CLIENT_METHODS), ...Object.values(acp.AGENT_METHODS)].filter(
      (method) => method !== 'initialize',
    )
    const piece = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record(
          {
            jsonrpc: fc.constantFrom('2.0', '1.0', 2),
            id: fc.oneof(fc.integer({ min: 10_000 }), fc.string(), fc.constant(null), fc.object()),
            method: fc.constantFrom(...methodNames, '$/cancel_request', '__proto__', 'toString', 7),
            params: fc.oneof(
              fc.constant({ sessionId: 's1', path: '/s/key', command: 'secret', toolCall: { toolCallId: 'x' } }),
              fc.constant({
                sessionId: 's1',
                command: 'sh',
                args: ['-c', 'secret'],
                terminalId: 't1',
                update: { toolCallId: 'x' },
              }),
              fc.jsonValue(),
            ),
            result: fc.jsonValue(),
            error: fc.jsonValue(),
          },
          { requiredKeys: ['jsonrpc'] },
        )
        .map((message) => JSON.stringify(message)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), piece), { maxLength: 20 }), async (pieces) => {
        for (const [isAgent, each] of pieces) (isAgent ? outer : up).write(`${each.replaceAll('\n', ' ')}\n`)
        expect((await play(read('/fine')))[0]?.result).toMatchObject({ content: 'x' })
        expect(JSON.stringify(requests)).not.toMatch(/\/s\/key|secret/)
      }),
      { numRuns: 40 },
    )
  })
})
