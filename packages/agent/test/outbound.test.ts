import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { serve } from '../../hookline/test/executors/http-server.ts'
import { createSender, type OutboundConfig } from '../src/outbound/index.ts'

const never = new AbortController().signal
const token = '123456:AA-very-secret'

async function server(status = 200, answer: object = { ok: true }) {
  const got: { path: string; body: unknown; headers: IncomingMessage['headers'] }[] = []
  const port = await serve((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
      got.push({ path: request.url ?? '', body, headers: request.headers })
      response.writeHead(status, { 'content-type': 'application/json', location: 'http://elsewhere.test/' })
      response.end(JSON.stringify(answer))
    })
  })
  return { got, url: `http://127.0.0.1:${port}` }
}

describe('a message goes out', () => {
  it('to the console', async () => {
    const lines: string[] = []
    const sender = createSender({ ops: { type: 'console' } }, { write: (line) => lines.push(line) })
    await sender.send('ops', 'Done.', never)
    expect(lines).toEqual(['[ops] Done.'])
    expect(sender.channels).toEqual(['ops'])
  })

  it('to a webhook', async () => {
    const { got, url } = await server()
    const hook = { type: 'webhook', url: `${url}/in/$SECRET`, headers: { 'x-key': '$KEY' }, allow_private_ips: true }
    const sender = createSender({ team: hook }, { env: { SECRET: 's1', KEY: 'k1' } })
    await sender.send('team', 'Grüße', never)
    expect(got).toMatchObject([
      { path: '/in/s1', body: { channel: 'team', text: 'Grüße' }, headers: { 'x-key': 'k1' } },
    ])
  })

  it('by the API of Telegram, long ones in parts', async () => {
    const { got, url } = await server()
    const me = { type: 'telegram', chat_id: 42, base_url: url, allow_private_ips: true }
    const sender = createSender({ me }, { env: { TELEGRAM_BOT_TOKEN: token } })
    const text = `${'x'.repeat(4_000)}\n${'y'.repeat(4_000)}`
    await sender.send('me', text, never)
    expect(got.map(({ path }) => path)).toEqual(Array(2).fill(`/bot${token}/sendMessage`))
    expect(got.map(({ body }) => (body as { text: string }).text).join('\n')).toBe(text)
  })
})

describe('a message that cannot be sent is an error, without a token', () => {
  const failing = async (config: OutboundConfig[string], env = {}) =>
    createSender({ me: config }, { env })
      .send('me', 'text', never)
      .then(
        () => 'sent',
        (error: Error) => error.message,
      )

  it.each([500, 302])('a status of %i', async (status) => {
    const { url } = await server(status, { ok: false, description: `bad bot${token}` })
    const message = await failing({ type: 'telegram', chat_id: 1, token, base_url: url, allow_private_ips: true })
    expect(message).toMatch(new RegExp(`^The message was not sent to me: the answer has the status ${status}`))
    expect(message).not.toContain(token)
  })

  it('no server', async () => {
    const message = await failing({ type: 'webhook', url: 'http://127.0.0.1:9/path-secret', allow_private_ips: true })
    expect(message).toMatch(/^The message was not sent to me: /)
    expect(message).not.toContain('path-secret')
  })

  it.each([
    'http://127.0.0.1:8080/x',
    'http://169.254.169.254/latest',
    'http://localhost/x',
    'file:///etc/passwd',
    'nonsense',
  ])('the guard refuses %s', async (url) => {
    expect(await failing({ type: 'webhook', url })).toMatch(/^The message was not sent to me: /)
  })

  it('an address of the machine stays refused when channels may not allow it', async () => {
    const { got, url } = await server()
    const sender = createSender({ me: { type: 'webhook', url, allow_private_ips: true } }, { allowLocal: false })
    await expect(sender.send('me', 'x', never)).rejects.toThrow(/not sent/)
    expect(got).toEqual([])
  })

  it('a stop stops it', async () => {
    const port = await serve(() => {})
    const stop = new AbortController()
    const sender = createSender({ me: { type: 'webhook', url: `http://127.0.0.1:${port}`, allow_private_ips: true } })
    const sending = sender.send('me', 'x', stop.signal)
    setTimeout(() => stop.abort(new Error('stopped')), 50)
    await expect(sending).rejects.toThrow('stopped')
  })

  it('a channel that is not there', async () => {
    const sender = createSender({ ops: { type: 'console' } })
    await expect(sender.send('opps', 'x', never)).rejects.toThrow('There is no channel opps. Did you mean `ops`?')
  })

  it.each<[OutboundConfig[string], RegExp]>([
    [{ type: 'telegramm' }, /`type` must be one of console, webhook, telegram. Did you mean `telegram`\?/],
    [{ type: 'webhook' }, /`url` is missing/],
    [{ type: 'telegram', chat_id: 1 }, /it has no token: set TELEGRAM_BOT_TOKEN/],
    [{ type: 'console', colour: 'red' }, /`colour` is not known here/],
  ])('a config that is wrong: %j', (config, problem) => {
    expect(() => createSender({ me: config }, { env: {} })).toThrow(problem)
  })
})
