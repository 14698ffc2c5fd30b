import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { echo, makeTool, texts } from '../../hookline/test/support/agent.ts'
import { scratch } from '../../hookline/test/support/scratch.ts'
import { stages, until } from '../../hookline/test/support/stages.ts'
import { type Boundary, type Durable, type Happening, openSessionStore } from '../src/index.ts'
import { makePrompt } from '../src/models/prompt.ts'
import { fetchAgentFile, parseReference } from '../src/team/index.ts'
import { bench } from './tools-support.ts'

const stage = stages()
const callEcho = { call: { tool: 'echo', input: { text: 'a' } } }
const picture = { name: 'a.png', media_type: 'image/png', data: 'iVBORw0KGgo=' }

it('a store keeps, lists, reads, exports, resumes and removes sessions', async () => {
  const store = openSessionStore({ directory: scratch() })
  const sessionId = store.newId()
  const one = await stage({ turns: [callEcho], tools: [echo], sessionId, openLog: store.open })
  await one.agent.prompt('remember the milk')
  await one.agent.end('other')
  expect(await store.list()).toMatchObject([{ id: sessionId, title: 'remember the milk', ended: 'other' }])
  expect(await store.export(sessionId)).toContain('remember the milk')
  expect(JSON.parse(await store.export(sessionId, 'json'))[0]).toMatchObject({ type: 'session' })
  const again = await stage({ resume: await store.read(sessionId.slice(-6)), openLog: store.open })
  await again.agent.prompt('what was it?')
  expect(texts(again.requests[0]!.messages, 'user').join()).toContain('remember the milk')
  const release = store.hold(sessionId)
  release()
  await again.agent.end('other')
  await store.remove(sessionId)
  expect(await store.list()).toEqual([])
})

it('events are an iterator beside the callback: every reader gets all of them, and then its end', async () => {
  const one = await stage({ turns: [callEcho], tools: [echo] })
  const read = async (events: AsyncIterable<Happening>) => {
    const types: string[] = []
    for await (const { type } of events) types.push(type)
    return types
  }
  const [first, second] = [read(one.agent.events()), read(one.agent.events())]
  const before = one.happenings.length
  await one.agent.prompt('go')
  await one.agent.end('other')
  const expected = one.happenings.slice(before).map(({ type }) => type)
  expect(await first).toEqual(expected)
  expect(await second).toEqual(expected)
})

it('a signal stops one prompt, and the session goes on', async () => {
  const one = await stage({
    turns: [{ call: { tool: 'slow' } }],
    tools: [makeTool('slow', () => new Promise(() => {}))],
  })
  const stop = new AbortController()
  const running = one.agent.prompt('go', { signal: stop.signal })
  await until(() => one.of('on_tool_approval_decision').length > 0)
  stop.abort()
  expect(await running).toMatchObject({ reason: 'canceled' })
  expect(await one.agent.prompt('again')).toMatchObject({ reason: 'normal' })
  expect(await one.agent.prompt('at once', { signal: AbortSignal.abort() })).toMatchObject({ reason: 'canceled' })
})

it('a durable store sees every step in the same order, and what it remembers is not done again', async () => {
  const done = new Map<string, unknown>()
  const steps: string[] = []
  const durable: Durable = {
    append() {},
    async step<T>({ kind, key }: Boundary, run: () => Promise<T>) {
      steps.push(`${kind} ${key}`)
      if (!done.has(key)) done.set(key, JSON.parse(JSON.stringify((await run()) ?? null)))
      return done.get(key) as T
    },
    flush: async () => {},
    close: async () => {},
  }
  let runs = 0
  const counting = makeTool('echo', async () => ({ content: `run ${++runs}` }))
  const setting = { turns: [callEcho], tools: [counting], openLog: async () => durable, sessionId: 's1' }
  const one = await stage(setting)
  await one.agent.prompt('go')
  const first = steps.splice(0)
  expect(first.map((each) => each.split(' ')[0])).toEqual(expect.arrayContaining(['verdict', 'model', 'tool']))
  const again = await stage(setting)
  await again.agent.prompt('go')
  expect(steps.slice(0, first.length)).toEqual(first)
  expect([runs, again.requests.length]).toEqual([1, 0])
  expect(again.agent.messages).toEqual(one.agent.messages)
})

it('attachments go to the model, and hooks of the prompt see what they are', async () => {
  const one = await stage()
  await one.agent.prompt('look', { attachments: [picture], channel: 'web' })
  expect(one.of('user_prompt_submit')).toMatchObject([
    { channel: 'web', attachments: [{ name: 'a.png', media_type: 'image/png', bytes: 8 }] },
  ])
  expect(one.requests[0]!.messages.at(-1)).toMatchObject({ role: 'user', attachments: [picture] })
  const { messages } = makePrompt('', [{ role: 'user', content: 'look', attachments: [picture] }], 'openai')
  expect(messages).toMatchObject([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'file', mediaType: 'image/png', data: picture.data },
      ],
    },
  ])
})

it('a picture that a tool reads goes to the model as one, unless a hook changes the result', async () => {
  const { call, cwd } = await bench(['filesystem'], {})
  const { writeFileSync } = await import('node:fs')
  writeFileSync(`${cwd}/a.png`, Buffer.from('89504e470d0a1a0a00', 'hex'))
  const result = await call('read_file', { path: 'a.png' })
  expect(result).toMatchObject({ attachments: [{ media_type: 'image/png' }] })
  const looking = makeTool('look', async () => result)
  const turns = [{ call: { tool: 'look' } }]
  const one = await stage({ turns, tools: [looking] })
  await one.agent.prompt('go')
  expect(one.agent.messages.find(({ role }) => role === 'tool')).toMatchObject({
    attachments: [{ media_type: 'image/png' }],
  })
  for (const event of ['tool_response_transform', 'post_tool_use'] as const)
    expect(one.of(event)).toMatchObject([{ attachments: [{ name: 'a.png', media_type: 'image/png', bytes: 9 }] }])
  const masked = await stage({
    turns,
    tools: [looking],
    prepare: (hooks) => void hooks.on('tool_response_transform', () => ({ rewrite: { mode: 'replace', value: 'no' } })),
  })
  await masked.agent.prompt('go')
  expect(masked.agent.messages.find(({ role }) => role === 'tool')).not.toHaveProperty('attachments')
})

it('pictures stay with messages that hooks rewrite, and go where hooks take them out', async () => {
  const rewriting = async (change: (message: Record<string, unknown>) => object) => {
    const one = await stage({
      prepare: (hooks) =>
        void hooks.on('before_llm_call', ({ payload }) => ({
          rewrite: { mode: 'replace', value: (payload['messages'] as Record<string, unknown>[]).map(change) },
        })),
    })
    await one.agent.prompt('look', { attachments: [picture] })
    return one.requests[0]!.messages.at(-1)
  }
  expect(await rewriting((message) => ({ ...message, content: 'x' }))).toMatchObject({ attachments: [picture] })
  expect(await rewriting(({ attachments: _, ...message }) => message)).not.toHaveProperty('attachments')
})

it('an agent file of a registry is fetched and checked; what is no reference is none', async () => {
  const yaml = 'agents:\n  root: { model: rehearsal, instruction: Help. }\n'
  const digest = `sha256:${createHash('sha256').update(yaml).digest('hex')}`
  let body = yaml
  const server = createServer(({ url = '' }, response) => {
    if (url === '/v2/catalog/coder/manifests/latest') response.end(JSON.stringify({ layers: [{ digest }] }))
    else if (url === `/v2/catalog/coder/blobs/${digest}`) response.end(body)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const fetched = (word: string) => fetchAgentFile(word, parseReference(word)!, scratch())
  expect(readFileSync(await fetched(`${host}/catalog/coder`), 'utf8')).toBe(yaml)
  await expect(fetched(`${host}/catalog/nobody`)).rejects.toThrow(/names an agent file in a registry.*404/)
  body = 'agents: {}'
  await expect(fetched(`${host}/catalog/coder`)).rejects.toThrow(/not what the registry/)
  expect(parseReference('agentcatalog/coder')).toEqual({
    registry: 'registry-1.docker.io',
    repository: 'agentcatalog/coder',
    tag: 'latest',
  })
  for (const word of ['hello', 'fix the bug', 'src/', '/etc/passwd', './a/b', 'A/b?'])
    expect(parseReference(word)).toBeUndefined()
})
