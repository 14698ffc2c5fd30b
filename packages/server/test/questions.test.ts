import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { socketPath } from '../../hookline/src/daemon/places.ts'
import { machine, until } from './support/machine.ts'
import { openServer, readStream } from './support/server.ts'

const config = `version: 1
rules:
  - id: sure
    ask: { run: npm publish }
`

it('questions of agents wait while a console is open, and only a person answers yes', async () => {
  const at = await machine(config)
  const link = new URL(await at.link())
  const token = /hl_[\w-]+/.exec(at.shown())![0]
  const send = async (path: string, body: unknown, headers: Record<string, string>) => {
    const init = { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(link.origin + path, {
      ...init,
      headers: { 'content-type': 'application/json', ...headers },
    })
    return { response, body: (await response.json()) as Record<string, string> }
  }
  const program = { authorization: `Bearer ${token}` }
  const questions = async () => {
    const response = await fetch(`${link.origin}/api/questions`, { headers: program })
    return ((await response.json()) as { questions: { id: string; what: string }[] }).questions
  }
  const waiting = () => until(async () => (await questions())[0])

  // Nobody is there: it is refused at once.
  expect(await at.agent('npm publish')).toMatchObject({ decision: 'deny' })

  const { response, body } = await send('/api/sign-in', { code: link.hash.slice('#sign-in='.length) }, {})
  const cookie = response.headers.get('set-cookie')!.split(';')[0]!
  const person = { cookie, origin: link.origin, 'x-hookline-proof': body['proof']! }
  const settled = readStream(`${link.origin}/api/events?attended=true&types=question.settled`, person, 4)
  await at.attended()

  // A program with a token may refuse, and no more.
  const first = at.agent('npm publish')
  const { id } = await waiting()
  const yes = await send(`/api/questions/${id}/answer`, { answer: 'yes' }, program)
  expect([yes.response.status, yes.body['code']]).toEqual([403, 'proof-needed'])
  expect((await send('/api/proof', {}, program)).response.status).toBe(403)
  await send(`/api/questions/${id}/answer`, { answer: 'no', because: 'Not on a Friday.' }, program)
  expect(await first).toMatchObject({ decision: 'deny', reason: expect.stringContaining('Not on a Friday.') })

  // The person has shown to be one by opening the link.
  const second = at.agent('npm publish --tag a')
  const next = await waiting()
  expect((await send(`/api/questions/${next.id}/answer`, { answer: 'session' }, person)).response.status).toBe(200)
  expect((await second).decision).toBeUndefined()
  expect((await at.agent('npm publish --tag a')).decision).toBeUndefined()
  expect((await send(`/api/questions/${next.id}/answer`, { answer: 'yes' }, person)).response.status).toBe(404)
  // Who has the cookie, and not what the page has, is nobody who may loosen.
  expect((await send('/api/rules', { rule: 'allow: { run: ls }' }, { cookie, origin: link.origin })).body['code']).toBe(
    'proof-needed',
  )

  // An answer for always that comes second writes nothing.
  const twice = at.agent('npm publish --tag twice')
  const contested = await waiting()
  const [no, late] = await Promise.all([
    send(`/api/questions/${contested.id}/answer`, { answer: 'no' }, program),
    send(`/api/questions/${contested.id}/answer`, { answer: 'always' }, person),
  ])
  expect([no.response.status, late.response.status >= 400]).toEqual([200, true])
  expect((await twice).decision).toBe('deny')
  const file = join(at.root, 'config/hookline/hooks.yaml')
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').not.toContain('twice')
  expect(readFileSync(join(at.cwd, 'hookline.yaml'), 'utf8')).toBe(config)

  // The rule of an answer for always is shown before it is written.
  const third = at.agent('npm publish --tag b')
  const last = await waiting()
  const shown = await fetch(`${link.origin}/api/questions/${last.id}/always`, { headers: person })
  expect(await shown.json()).toMatchObject({ rule: 'allow: { run: npm publish --tag b }', impossible: null })
  await send(`/api/questions/${last.id}/answer`, { answer: 'always' }, person)
  expect((await third).decision).toBeUndefined()

  expect((await settled).map(({ data }) => (data as { answer: string }).answer)).toEqual([
    ...['no', 'session', 'no', 'always'],
  ])
  const history = await fetch(`${link.origin}/api/questions/history`, { headers: program })
  expect(await history.json()).toMatchObject({
    questions: [{ answer: 'always', rule: 'allow-npm-publish-tag-b' }, { answer: 'no' }, { answer: 'session' }, {}],
  })
})

it('a daemon that hangs up at once is not called again and again without a pause', async () => {
  const calls: number[] = []
  const daemon = createServer((socket) => {
    calls.push(performance.now())
    socket.destroy()
  })
  const server = await openServer()
  onTestFinished(() => server.end())
  mkdirSync(dirname(socketPath()), { recursive: true, mode: 0o700 })
  await new Promise<void>((listening) => daemon.listen(socketPath(), listening))
  onTestFinished(() => void daemon.close())
  await expect.poll(() => calls.length).toBeGreaterThan(3)
  expect(calls[3]! - calls[0]!).toBeGreaterThan(3 * 250)
})
