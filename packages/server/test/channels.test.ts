import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { PagePerson } from 'hookline/internal'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openServer, signIn, type TestServer } from './support/server.ts'

const script = `rehearsal: 1
turns:
  - { when: { tool: shell }, say: 'It went so: {{ result }}', repeat: true }
  - { when: { user: publish }, call: { tool: shell, input: { command: touch published } }, repeat: true }
default: { say: 'You said: {{ user }}' }
`
const config = `version: 1
rules:
  - { id: sure, ask: { run: touch published }, because: It is for everybody. }
hooks:
  - { id: heard, event: user_prompt_submit, run: 'cat >> heard.jsonl; echo >> heard.jsonl' }
  - { id: plain, event: on_outbound_message, run: 'grep -q unspeakable && { echo "Not outside." >&2; exit 2; }; exit 0' }
`
const secret = 'a-secret-of-the-service'
const aesKey = randomBytes(32).toString('base64').replace(/=$/, '')

/** The service: it keeps what it is sent. */
let service: Server
let sent: { path: string; body: Record<string, unknown> }[] = []
let server: TestServer
let page: Record<string, string>
const person = (): PagePerson => ({ readsTerminal: true, confirm: async () => true })

beforeAll(async () => {
  service = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      sent.push({ path: request.url ?? '', body: JSON.parse(text) as Record<string, unknown> })
      response.end('{"ok":true}')
    })
  })
  await new Promise<void>((listening) => service.listen(0, '127.0.0.1', listening))
  server = await openServer(undefined, { person })
  const project = join(server.root, 'shop')
  mkdirSync(project)
  writeFileSync(join(project, 'script.yaml'), script)
  writeFileSync(join(project, 'hookline.yaml'), config)
  page = { authorization: '', ...(await signIn(server)).page }
  await server.send('PUT', '/api/agents/helper', { project, rehearse: 'script.yaml' })
  for (const { id, digest, waits } of (
    await server.json<{ hooks: { id: string; digest: string; waits: boolean }[] }>(
      `/api/hooks?project=${encodeURIComponent(project)}`,
    )
  ).hooks)
    if (waits) await server.send('POST', '/api/hooks/approve', { project, id, digest }, page)
})
afterAll(async () => {
  await server.end()
  service.close()
})

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })

/** How each service delivers what people write, and what it shows them. */
interface Service {
  deliver(text: string, chat: string, key?: string): Promise<Response>
  press?(data: string, chat: string): Promise<Response>
  textIn(body: Record<string, unknown>): string
  buttonsIn?(body: Record<string, unknown>): string[]
}

const telegram = (update: object, key = secret) =>
  post('/channels/telegram', JSON.stringify(update), { 'x-telegram-bot-api-secret-token': key })
const slack = (body: string, type: string, key = secret) => {
  const time = String(Math.floor(Date.now() / 1000))
  const signature = `v0=${createHmac('sha256', key).update(`v0:${time}:${body}`).digest('hex')}`
  return post('/channels/slack', body, {
    ...{ 'content-type': type, 'x-slack-request-timestamp': time, 'x-slack-signature': signature },
  })
}
function wecom(message: object, key = secret) {
  const text = Buffer.from(JSON.stringify(message))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length)
  const plain = Buffer.concat([randomBytes(16), length, text, Buffer.from('corp')])
  const pad = 32 - (plain.length % 32)
  const bytes = Buffer.from(`${aesKey}=`, 'base64')
  const cipher = createCipheriv('aes-256-cbc', bytes, bytes.subarray(0, 16)).setAutoPadding(false)
  const encrypt = Buffer.concat([
    cipher.update(Buffer.concat([plain, Buffer.alloc(pad, pad)])),
    cipher.final(),
  ]).toString('base64')
  const signature = createHash('sha1').update([key, '1', '2', encrypt].sort().join('')).digest('hex')
  return post(`/channels/wecom?msg_signature=${signature}&timestamp=1&nonce=2`, JSON.stringify({ encrypt }))
}
const webhook = (body: object, key = secret) =>
  post('/channels/webhook', JSON.stringify(body), { 'x-hookline-secret': key })

const services: Record<string, Service> = {
  telegram: {
    deliver: (text, chat, key) => telegram({ message: { chat: { id: Number(chat) }, from: { id: 7 }, text } }, key),
    press: (data, chat) =>
      telegram({ callback_query: { data, from: { id: 7 }, message: { chat: { id: Number(chat) } } } }),
    textIn: ({ text }) => String(text),
    buttonsIn: ({ reply_markup: markup }) =>
      ((markup as { inline_keyboard: { callback_data: string }[][] } | undefined)?.inline_keyboard ?? []).flatMap(
        (row) => row.map((each) => each.callback_data),
      ),
  },
  slack: {
    deliver: (text, chat, key) =>
      slack(
        JSON.stringify({ type: 'event_callback', event: { type: 'message', channel: chat, user: 'U1', text } }),
        'application/json',
        key,
      ),
    press: (value, chat) =>
      slack(
        new URLSearchParams({
          payload: JSON.stringify({ type: 'block_actions', channel: { id: chat }, actions: [{ value }] }),
        }).toString(),
        'application/x-www-form-urlencoded',
      ),
    textIn: ({ text }) => String(text),
    buttonsIn: ({ blocks }) =>
      ((blocks as { elements?: { value: string }[] }[] | undefined) ?? []).flatMap(({ elements = [] }) =>
        elements.map(({ value }) => value),
      ),
  },
  wecom: {
    deliver: (content, chatid, key) =>
      wecom({ chatid, from: { userid: 'ann' }, msgtype: 'text', text: { content } }, key),
    textIn: ({ text }) => (text as { content: string }).content,
  },
  webhook: {
    deliver: (text, chat, key) => webhook({ chat, user: 'ann', text }, key),
    press: (answer, chat) => webhook({ chat, user: 'ann', answer }),
    textIn: ({ text }) => String(text),
    buttonsIn: ({ buttons }) => (buttons as { answer: string }[]).map(({ answer }) => answer),
  },
}

describe.each(Object.entries(services))('%s', (kind, { deliver, press, textIn, buttonsIn }) => {
  const texts = () => sent.map(({ body }) => textIn(body))
  const says = (text: string) => expect.poll(() => texts().join('\n'), { interval: 20 }).toContain(text)

  it('takes prompts of chats that count and of no others, asks with buttons, and obeys only what it may', async () => {
    const { port } = service.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/${kind}`
    const define = (more: object, headers?: Record<string, string>) =>
      server.send(
        'PUT',
        `/api/channels/${kind}`,
        {
          ...{ kind, chats: ['42'], agent: 'helper', secret, url, token: 'the-token', allow_private_ips: true },
          ...(kind === 'wecom' && { aes_key: aesKey }),
          ...more,
        },
        headers,
      )
    expect((await define({})).status).toBe(200)
    expect((await define({ person: true })).status).toBe(403)
    expect(JSON.stringify(await server.json('/api/channels'))).not.toMatch(/a-secret-of|the-token/)

    sent = []
    expect((await deliver('hello', '42', 'a-wrong-secret-of-somebody')).status).toBe(401)
    expect((await deliver('hello from nowhere', '666')).status).toBe(200)
    expect((await deliver('hello', '42')).status).toBe(200)
    await says('You said: hello')
    expect(texts().join()).not.toContain('nowhere')
    // Hooks know by which service it came.
    expect(readFileSync(join(server.root, 'shop/heard.jsonl'), 'utf8').trim().split('\n').at(-1)).toContain(
      `"channel":"${kind}"`,
    )
    await deliver('/hooks list', '42')
    await says('plain  on_outbound_message')
    await deliver('/hooks off', '42')
    await says('does not count as a person')

    // A question: without being a person's, the channel only refuses.
    await deliver('publish', '42')
    await says('touch published')
    const waiting = async () => (await server.json<{ questions: { id: string }[] }>('/api/questions')).questions[0]!.id
    await deliver(`/answer ${await waiting()} yes`, '42')
    await says('answer in the console')
    await deliver(`/answer ${await waiting()} no Not on a Friday.`, '42')
    await says('Not on a Friday.')

    expect((await define({ person: true }, page)).status).toBe(200)
    sent = []
    await deliver('publish', '42')
    await says('touch published')
    if (press && buttonsIn) {
      const buttons = sent.flatMap(({ body }) => buttonsIn(body))
      expect(buttons).toHaveLength(3)
      await press(buttons.find((each) => each.startsWith('yes'))!, '42')
    } else await deliver(`/answer ${await waiting()} yes`, '42')
    await says('Answered: yes.')
    await says('It went so:')

    // What hooks keep inside does not leave.
    sent = []
    await deliver('unspeakable', '42')
    await deliver('goodbye', '42')
    await says('You said: goodbye')
    expect(texts().join()).not.toContain('unspeakable')
    await server.send('DELETE', `/api/channels/${kind}`)
    expect((await deliver('hello', '42')).status).toBe(401)
  })
})

it('/hooks in a chat: helps, tries guards, approves, revokes and switches, and a person does what loosens', async () => {
  const { port } = service.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/webhook`
  const define = { kind: 'webhook', chats: ['42'], agent: 'helper', secret, url, allow_private_ips: true, person: true }
  expect((await server.send('PUT', '/api/channels/webhook', define, page)).status).toBe(200)
  const project = join(server.root, 'shop')
  const asks = async (text: string, answer: string | RegExp) => {
    sent = []
    await webhook({ chat: '42', user: 'ann', text })
    await expect.poll(() => sent.map(({ body }) => String(body['text'])).join('\n'), { interval: 20 }).toMatch(answer)
  }
  const trust = async () =>
    (
      await server.json<{ hooks: { id: string; trust: string }[] }>(`/api/hooks?project=${encodeURIComponent(project)}`)
    ).hooks.find(({ id }) => id === 'plain')?.trust
  await asks('/hooks help', /\/hooks approve <id or command>: .+/)
  await asks('/hooks aprove plain', 'Did you mean `approve`')
  await asks('/hooks doctor', /sure|plain/)
  await asks('/hooks revoke plain', 'plain is no longer approved.')
  expect(await trust()).toBe('not-approved')
  await asks('/hooks revoke plain', 'Nothing called plain is approved.')
  await asks('/hooks approve nothing', 'There is no hook nothing here.')
  await asks('/hooks approve plain', /^Approved: plain \(/)
  expect(await trust()).toBe('approved')
  await asks('/hooks off', /^Hooks are off until /)
  expect(await server.json('/api/hooks/switch')).toMatchObject({ on: false })
  await asks('/hooks on', 'Hooks are on.')
  expect(await server.json('/api/hooks/switch')).toMatchObject({ on: true })
  // Each is written down, with who did it.
  const told = async () =>
    (await server.json<{ decisions: { id: number }[] }>('/api/decisions?all=true&text=ann%20webhook')).decisions.length
  await expect.poll(told).toBeGreaterThanOrEqual(4)
})

it('what a service wants to hear when its address is set up, it hears', async () => {
  const define = { kind: 'slack', chats: ['C1'], secret, token: 'x' }
  await server.send('PUT', '/api/channels/slack', define)
  const answer = await slack(JSON.stringify({ type: 'url_verification', challenge: 'c9' }), 'application/json')
  expect(await answer.json()).toEqual({ challenge: 'c9' })
  const made = await server.send('PUT', '/api/channels/other', {
    kind: 'webhook',
    chats: ['1'],
    url: 'http://192.0.2.1/',
  })
  expect(await made.json()).toMatchObject({ secret: expect.stringMatching(/^\S{20,}$/) })
})
