import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { writeEnrolment } from '../../hookline/src/fleet/enrolment.ts'
import { addressOf, enrol, openMachine } from '../../hookline/src/fleet/index.ts'
import { makeToken } from '../../hookline/src/trust/index.ts'
import { hookline } from '../../hookline/test/support/cli.ts'
import { remove } from '../../hookline/test/support/scratch.ts'
import { routes } from '../src/routes/index.ts'
import { home, openServer, type TestServer } from './support/server.ts'

let server: TestServer
const places: string[] = []
beforeAll(async () => {
  server = await openServer()
})
afterAll(async () => {
  await server.end()
  for (const place of places) remove(place)
})

const place = () => {
  const made = mkdtempSync(join(tmpdir(), 'hookline-machine-'))
  places.push(made)
  return made
}
const offer = async (wanted: object = {}) => {
  const response = await server.send('POST', '/api/enrolments', wanted)
  expect(response.status).toBe(201)
  return (await response.json()) as { secret: string; enrolment: { id: string } }
}
async function joined(wanted: object = {}, directory = place()) {
  const { secret } = await offer(wanted)
  const enrolment = await enrol(directory, { url: server.url, token: secret, name: 'anna' })
  return { directory, enrolment, machine: openMachine(directory), secret }
}
const codeOf = (given: Promise<unknown>) =>
  given.then(
    () => undefined,
    (error) => error.code,
  )
const asMachine = async (directory: string) => {
  // What its client carries.
  let pass = ''
  const machine = openMachine(directory)
  const own = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    pass = new Headers(init?.headers).get('authorization') ?? pass
    return own(input, init)
  }
  try {
    await machine.fetch('/api/machines/me')
  } finally {
    globalThis.fetch = own
  }
  return pass
}
/** A JWT by any key, with anything in it. */
function jwt(key: Parameters<typeof sign>[2], header: object, claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const at = Math.floor(Date.now() / 1000)
  const text = `${part({ alg: 'EdDSA', ...header })}.${part({ iat: at, exp: at + 60, jti: randomUUID(), ...claims })}`
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`
}
const passWith = (proof: string) =>
  fetch(`${server.url}/api/machines/pass`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ proof }),
  })

describe('enrolment', () => {
  it('a token lets one machine in, with a key that stays there for its owner alone', async () => {
    const { directory, enrolment, machine, secret } = await joined({ group: 'build' })
    expect(statSync(join(directory, 'machine.key')).mode & 0o777).toBe(0o600)
    const own = (await (await machine.fetch('/api/machines/me')).json()) as Record<string, unknown>
    expect(own).toMatchObject({ id: enrolment.machine, name: 'anna', group: 'build', revoked: null })
    expect(await codeOf(enrol(place(), { url: server.url, token: secret, name: 'b' }))).toBe('enroll-refused')
    // The answer of the first time may have got lost: the same key with the same token is the same machine.
    expect((await enrol(directory, { url: server.url, token: secret, name: 'anna' })).machine).toBe(enrolment.machine)
    const { machines } = await server.json<{ machines: { id: string }[] }>('/api/machines')
    expect(machines.filter(({ id }) => id === enrolment.machine)).toHaveLength(1)
  })

  it('a token works as often and as long as it says, and not when it was withdrawn', async () => {
    const twice = await offer({ uses: 2 })
    const attempts = await Promise.all(
      [1, 2, 3, 4].map(() => codeOf(enrol(place(), { url: server.url, token: twice.secret, name: 'x' }))),
    )
    expect(attempts.filter((code) => code === undefined)).toHaveLength(2)
    const withdrawn = await offer()
    await server.send('DELETE', `/api/enrolments/${withdrawn.enrolment.id}`)
    const late = await offer({ hours: 1e-9 })
    for (const { secret } of [withdrawn, late])
      expect(await codeOf(enrol(place(), { url: server.url, token: secret, name: 'x' }))).toBe('enroll-refused')
  })

  it('no role but admin makes tokens, and nobody can be given the role of a machine', async () => {
    const made = await server.send('POST', '/api/tokens', { name: 'operator', role: 'operator' })
    const { secret } = (await made.json()) as { secret: string }
    const response = await server.send('POST', '/api/enrolments', {}, { authorization: `Bearer ${secret}` })
    expect(response.status).toBe(403)
    expect((await server.send('POST', '/api/tokens', { name: 'm', role: 'machine' })).status).toBe(400)
  })

  it('keys and tokens go encrypted, or not beyond this machine', () => {
    for (const url of ['http://hooks.example.com', 'ftp://x', 'hooks.example.com', 'http://127.0.0.1.example.com'])
      expect(() => addressOf(url)).toThrow(expect.objectContaining({ code: 'enroll-address' }))
    expect(addressOf('https://hooks.example.com/x')).toBe('https://hooks.example.com')
  })
})

describe('a machine', () => {
  it('reaches what is its own, and no other route', async () => {
    const { directory } = await joined()
    const authorization = await asMachine(directory)
    for (const [name, { method, path, needs }] of Object.entries(routes)) {
      if (needs === 'nobody' || needs === 'machine') continue
      const response = await fetch(server.url + path.replace(/:\w+/g, 'x'), {
        method: method.toUpperCase(),
        headers: { authorization, 'content-type': 'application/json' },
        ...(method !== 'get' && { body: '{}' }),
      })
      expect([name, response.status]).toEqual([name, 403])
      await response.body?.cancel()
    }
  })

  it('that was revoked is nobody, at once, and with the pass it had', async () => {
    const { directory, machine, enrolment } = await joined()
    const authorization = await asMachine(directory)
    const look = () => fetch(`${server.url}/api/machines/me`, { headers: { authorization } })
    expect((await look()).status).toBe(200)
    expect((await server.send('DELETE', `/api/machines/${enrolment.machine}`)).status).toBe(200)
    expect((await look()).status).toBe(401)
    expect(await codeOf(machine.fetch('/api/machines/me'))).toBe('enroll-refused')
  })

  it('gets a pass by its own key alone, for this server, now, and once', async () => {
    const { directory, enrolment } = await joined()
    const { machine: id } = enrolment
    const key = readFileSync(join(directory, 'machine.key'))
    const stranger = generateKeyPairSync('ed25519').privateKey
    const claims = { iss: id, aud: server.url }
    const long = Math.floor(Date.now() / 1000) - 600
    const wrong = [
      jwt(stranger, { kid: id }, claims),
      jwt(key as never, { kid: id }, { ...claims, aud: 'https://other.example.com' }),
      jwt(key as never, { kid: id }, { ...claims, iss: 'm_other' }),
      jwt(key as never, { kid: 'm_other' }, claims),
      jwt(key as never, {}, claims),
      jwt(key as never, { kid: id }, { ...claims, iat: long, exp: long + 60 }),
      jwt(key as never, { kid: id }, { ...claims, jti: undefined }),
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`,
      'x',
    ]
    for (const proof of wrong) expect((await passWith(proof)).status, proof).toBeGreaterThanOrEqual(401)
    const proof = jwt(key as never, { kid: id }, claims)
    // Wrong guesses are limited by address; what is right is not.
    expect((await passWith(proof)).status).toBe(200)
    expect((await passWith(proof)).status).toBeGreaterThanOrEqual(401)
  })

  it('signs by the clock of its server where its own is wrong: else nobody would hear that it is', async () => {
    const { directory, enrolment } = await joined()
    const aheadMs = 3 * 86_400_000
    const times: number[] = []
    const other = createServer(async (request, response) => {
      response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString())
      if (request.url !== '/api/machines/pass') return response.end('{}')
      const { proof } = (await json(request)) as { proof: string }
      const { iat } = JSON.parse(Buffer.from(proof.split('.')[1]!, 'base64url').toString())
      times.push(Math.round(Math.abs(iat * 1000 - Date.now()) / 86_400_000))
      response.statusCode = Math.abs(iat * 1000 - Date.now() - aheadMs) < 60_000 ? 200 : 401
      response.end(JSON.stringify({ token: 'a.b.c', expires_in: 600 }))
    })
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo
    const copy = place()
    cpSync(directory, copy, { recursive: true })
    writeEnrolment(copy, { ...enrolment, server: `http://127.0.0.1:${port}` })
    expect((await openMachine(copy).fetch('/api/machines/me')).status).toBe(200)
    // Once with its own time, then with that of the server; there is no third time.
    expect(times).toEqual([0, 3])
  })

  it('keeps its pass over a restart of the server, and is seen with its version', async () => {
    const { directory, enrolment } = await joined()
    const authorization = await asMachine(directory)
    const other = await openServer(server.root, {})
    try {
      const response = await fetch(`${other.url}/api/machines/me`, { headers: { authorization } })
      expect(await response.json()).toMatchObject({ id: enrolment.machine, version: expect.stringMatching(/^\d/) })
    } finally {
      await other.close()
    }
  })
})

describe('hookline enroll', () => {
  it('joins, tells, and leaves nothing behind; without a person it does neither', async () => {
    const { secret } = await offer()
    const state = join(home, 'XDG_STATE_HOME/hookline')
    const env = {
      ...Object.fromEntries(['HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME'].map((name) => [name, process.env[name]!])),
      HOOKLINE_APPROVE_TOKEN: '',
    }
    const refused = await hookline(['enroll', server.url, '--token', secret, '--user'], '', { env })
    expect(refused).toMatchObject({ exit: 1, stderr: expect.stringContaining('person') })
    const approved = { ...env, HOOKLINE_APPROVE_TOKEN: makeToken(state) }
    const run = (...args: string[]) => hookline(['enroll', ...args], '', { env: approved })
    expect(await run('--status')).toMatchObject({ exit: 1, stderr: expect.stringContaining('hookline enroll <url>') })
    expect(await run(server.url, '--token', secret, '--user', '--yes', '--name', 'desk')).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('This machine is desk'),
    })
    expect(await run(server.url, '--token', secret, '--user', '--yes')).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('--leave'),
    })
    // Though no agent is installed here.
    const daemon = () => hookline(['daemon', 'status'], '', { env: approved })
    expect(await daemon()).toMatchObject({ exit: 0 })
    const status = await run('--status', '--json')
    const { machine, state: at } = JSON.parse(status.stdout)
    expect([status.exit, at]).toEqual([0, 'known'])
    writeFileSync(join(home, 'XDG_DATA_HOME/hookline/fleet/other'), '')
    expect(await run('--leave', '--yes')).toMatchObject({ exit: 0 })
    expect(await daemon()).toMatchObject({ exit: 1 })
    expect(() => statSync(join(home, 'XDG_DATA_HOME/hookline/fleet'))).toThrow()
    const { machines } = await server.json<{ machines: { id: string; revoked: string | null }[] }>('/api/machines')
    expect(machines.find(({ id }) => id === machine)?.revoked).not.toBeNull()
  })
})
