import { execFileSync } from 'node:child_process'
import { afterEach, describe, expect, it } from 'vitest'
import { type EventName, eventNames, eventRow, validate } from '../../hookline/src/core/index.ts'
import { createHooks } from '../../hookline/src/hooks/index.ts'
import { broken, echo, plainAgent } from '../../hookline/test/support/agent.ts'
import { type StubAnswer, type StubProtocol, stubProvider } from '../../hookline/test/support/providers.ts'
import { scratch } from '../../hookline/test/support/scratch.ts'
import { createPermissions, openAgent, openModels, type Raise } from '../src/index.ts'
import { createWorktree, prepareWorktree } from '../src/terminal/worktree.ts'

/** Servers shaped like those of three vendors: whatever a model is served by, every event is raised, with what its row describes. */
const vendors: readonly { name: string; provider: string; protocol: StubProtocol; responses?: true }[] = [
  { name: 'OpenAI', provider: 'openai', protocol: 'responses', responses: true },
  { name: 'Anthropic', provider: 'anthropic', protocol: 'anthropic' },
  { name: 'Gemini', provider: 'google', protocol: 'google' },
]

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

let ids = 0
const call = (name: string, input: object) => ({ id: `call_${++ids}`, name, arguments: JSON.stringify(input) })
const calls = (...all: [name: string, input: object][]): StubAnswer => ({
  calls: all.map(([name, input]) => call(name, input)),
})
const refused: StubAnswer = { status: 401, body: { error: { message: 'no' } } }

async function open({ provider, protocol, responses }: (typeof vendors)[number]) {
  const answers: StubAnswer[] = []
  const stub = await stubProvider(protocol, () => answers.shift() ?? { text: ['ok'] })
  closing.push(() => stub.close())
  const cwd = scratch({ 'a.txt': '1' })
  const hooks = await createHooks({ journal: false, cwd })
  closing.push(() => hooks.close())
  const raised: { event: EventName; payload: Record<string, unknown> }[] = []
  const raise: Raise = (event, payload, options) => {
    raised.push({ event, payload: payload as Record<string, unknown> })
    return hooks.raise(event, payload, options)
  }
  const model = (name: string) => ({
    ...{ provider, model: name, baseURL: stub.url, keyVariable: 'KEY' },
    ...(responses ? { responses } : {}),
  })
  const spec = { ...plainAgent, models: ['main', 'second'], retries: 0, maxIterations: 4 }
  const team = {
    agents: {
      root: { name: 'root', ...spec, subAgents: ['helper'], handoffs: ['other'] },
      helper: { name: 'helper', ...spec },
      other: { name: 'other', ...spec },
    },
    root: 'root',
    models: { main: model('model-1'), second: model('model-2') },
    permissions: { allow: [], ask: [], deny: [] },
    snapshot: false,
  }
  const agent = await openAgent({
    team,
    cwd,
    raise,
    permissions: createPermissions({}),
    openModel: openModels({ team, env: { KEY: 'sk-test' } }),
    openTools: async () => ({ tools: [echo, broken], close: async () => {} }),
    person: { approve: async () => ({ answer: 'once' }), answer: async () => '', goOn: async () => true },
    channels: ['console'],
    send: async () => {},
  })
  closing.push(() => agent.end('other'))
  const prompt = (text: string, ...script: StubAnswer[]) => {
    answers.push(...script)
    return agent.prompt(text)
  }
  return { agent, answers, prompt, raise, raised, cwd }
}

describe.each(vendors)('over a server like that of $name', (vendor) => {
  it('all 36 events are raised, each with a payload that its row describes', async () => {
    const { agent, answers, prompt, raise, raised, cwd } = await open(vendor)
    agent.steer('mind this')
    agent.followUp('and then')
    expect((await prompt('hello')).response).toBe('ok')
    expect((await prompt('fall back', refused, { text: ['second'] })).response).toBe('second')
    expect((await prompt('fail', refused, refused)).reason).toBe('error')
    const [one, two] = [
      calls(['echo', { text: 1 }], ['broken', {}]),
      calls(['transfer_task', { agent: 'helper', task: 't' }]),
    ]
    expect((await prompt('use tools', one, two, { text: ['Seven.'] })).response).toBe('ok')
    await prompt('long', ...[2, 3, 4, 5].map((text) => calls(['echo', { text }])))
    answers.push(calls(['claim_completion', { summary: 'Done.' }]))
    expect((await agent.goal('a goal')).response).toBe('Done.')
    answers.push({ text: ['In short.'] })
    expect(await agent.compact()).toBe('done')
    await agent.notify('console', 'out')
    await prompt('hand over', calls(['handoff', { agent: 'other' }]))
    expect(agent.agentName).toBe('other')
    await agent.end('other')
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd })
    git('init', '-q')
    git('add', '-A')
    git('commit', '-q', '-m', 'first')
    const worktree = await createWorktree(cwd, 'try', scratch())
    await prepareWorktree(worktree, raise, 'root', new AbortController().signal)

    const names = new Set(raised.map(({ event }) => event))
    expect(eventNames.filter((name) => !names.has(name))).toEqual([])
    expect(eventNames).toHaveLength(36)
    for (const { event, payload } of raised) {
      const { payload: schema } = eventRow(event)
      const known = Object.keys((schema as unknown as { shape: object }).shape)
      expect(validate(schema, payload).ok, event).toBe(true)
      expect(
        Object.keys(payload).filter((key) => !known.includes(key)),
        event,
      ).toEqual([])
    }
  })
})
