import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { usable } from '../../hookline/src/cli/policy/follow.ts'
import { fetchPolicy, followPolicy } from '../../hookline/src/fleet/follow.ts'
import { currentIn, enrol, openMachine } from '../../hookline/src/fleet/index.ts'
import { sourceOf } from '../../hookline/src/fleet/source.ts'
import { makeToken } from '../../hookline/src/trust/index.ts'
import { hookline, startHookline } from '../../hookline/test/support/cli.ts'
import { publisher } from '../../hookline/test/support/fleet.ts'
import { remove, scratch } from '../../hookline/test/support/scratch.ts'
import { home, openServer, type TestServer } from './support/server.ts'

const readText = (file: string) => readFileSync(file, 'utf8')
const deny = (what: string) => `version: 1\nrules:\n  - id: rule-${what}\n    deny: { run: ${what} }\n`

/** A server with a policy, and machines of its fleet. */
async function fleet() {
  const writer = publisher({ 'default/hookline.yaml': deny('fly'), 'canary/hookline.yaml': deny('sail') })
  writer.release()
  const server = await openServer(undefined, { policy: { directory: writer.directory } })
  onTestFinished(() => server.end())
  const join_ = async (group = 'default') => {
    const { secret } = (await (await server.send('POST', '/api/enrolments', { group })).json()) as { secret: string }
    const directory = scratch({})
    const enrolment = await enrol(directory, { url: server.url, token: secret, name: 'm' })
    return {
      directory,
      enrolment,
      machine: openMachine(directory),
      fetch: () => fetchPolicy(directory, sourceOf(directory), usable),
    }
  }
  return { writer, server, join: join_ }
}

async function until<T>(look: () => T | undefined | false): Promise<T> {
  for (;;) {
    const found = look()
    if (found) return found
    await delay(20)
  }
}
const groupOf = (directory: string) => {
  const current = currentIn(directory)
  return typeof current === 'string' ? undefined : current.group
}

describe('the policy of a fleet', () => {
  it('is served to its machines and to nobody else, and nothing beside it is', async () => {
    const { server, join } = await fleet()
    const { fetch: take, machine, directory } = await join()
    expect(await take()).toBe(true)
    expect(groupOf(directory)).toBe('default')
    for (const path of ['/policy/timestamp.json', '/policy/1.root.json']) {
      expect((await machine.fetch(path)).status).toBe(200)
      expect((await fetch(server.url + path)).status).toBe(401)
      expect((await server.get(path)).status).toBe(403)
    }
    for (const path of [
      '..%2ffleet.yaml',
      'keys/1.json',
      '..%2fkeys%2f1.json',
      '%2e%2e/keys/1.json',
      '.gitignore',
      'targets',
    ])
      expect((await machine.fetch(`/policy/${path}`)).status, path).toBe(404)
  })

  it('reaches a machine that waits as soon as it is published, and says nothing while it is the same', async () => {
    const { writer, join } = await fleet()
    const { machine } = await join()
    const first = await machine.fetch('/policy/timestamp.json')
    const etag = first.headers.get('etag')!
    const wait = (seconds: number) =>
      machine.fetch('/policy/timestamp.json', { headers: { 'if-none-match': etag, prefer: `wait=${seconds}` } })
    expect((await wait(0)).status).toBe(304)
    const short = await wait(1)
    expect([short.status, short.headers.get('preference-applied')]).toEqual([304, 'wait=1'])
    const news = wait(60)
    writer.release({ 'default/hookline.yaml': deny('ride') })
    const response = await news
    expect(response.status).toBe(200)
    expect(response.headers.get('etag')).not.toBe(etag)
  })

  it('is kept up to date by whoever follows it, through a change of group, and not for a revoked machine', async () => {
    const { writer, server, join } = await fleet()
    const { directory, enrolment } = await join()
    const lines: string[] = []
    const follower = followPolicy(directory, usable, (line) => lines.push(line))
    onTestFinished(() => follower.stop())
    const first = await until(() => typeof currentIn(directory) !== 'string' && currentIn(directory))
    writer.release({ 'default/hookline.yaml': deny('ride') })
    await until(() => JSON.stringify(currentIn(directory)) !== JSON.stringify(first))
    await server.send('PUT', `/api/machines/${enrolment.machine}`, { group: 'canary' })
    // The next news, or the end of its wait, tells it.
    writer.release({ 'default/hookline.yaml': deny('swim') })
    await until(() => groupOf(directory) === 'canary')
    await server.send('DELETE', `/api/machines/${enrolment.machine}`)
    writer.release({ 'default/hookline.yaml': deny('dive') })
    await until(() => lines.some((line) => line.includes('revoked')))
  })

  it('is kept up to date by the daemon, which does not end for want of calls', async () => {
    const { writer, server } = await fleet()
    const { secret } = (await (await server.send('POST', '/api/enrolments', {})).json()) as { secret: string }
    const data = scratch({})
    const directory = join(data, 'hookline', 'fleet')
    await enrol(directory, { url: server.url, token: secret, name: 'm' })
    const env = { ...process.env, XDG_DATA_HOME: data } as Record<string, string>
    const { child, ended } = startHookline(['daemon', '--idle', '0.5'], { env })
    onTestFinished(async () => {
      child.kill()
      await ended
    })
    const first = await until(() => typeof currentIn(directory) !== 'string' && currentIn(directory))
    // Longer than it would wait for a call.
    const since = Date.now()
    await until(() => Date.now() - since > 2_500)
    writer.release({ 'default/hookline.yaml': deny('ride') })
    await until(() => JSON.stringify(currentIn(directory)) !== JSON.stringify(first))
    expect(child.exitCode).toBeNull()
  }, 60_000)

  it('is renewed by a server that has the online key, and by no other', async () => {
    const writer = publisher({ 'default/hookline.yaml': deny('fly') })
    writer.release({}, { expires: { root: 365, policy: 365, freshness: 0.5 } })
    const expires = () =>
      Date.parse(JSON.parse(readText(join(writer.repository, 'timestamp.json'))).signed.expires) - Date.now()
    expect(expires()).toBeLessThan(24 * 3_600_000)
    // The third key that it made.
    const key = join(writer.directory, 'keys', '3.json')
    const server = await openServer(undefined, { policy: { directory: writer.directory, key, days: 2 } })
    onTestFinished(() => server.end())
    await until(() => expires() > 24 * 3_600_000)
  })
})

describe('hookline policy', () => {
  let server: TestServer
  const directory = mkdtempSync(join(tmpdir(), 'hookline-policy-'))
  beforeAll(async () => {
    server = await openServer(undefined, { policy: { directory: join(directory, 'repository') } })
  })
  afterAll(async () => {
    await server.end()
    remove(directory)
  })

  it('makes, signs and publishes a policy, and an enrolled machine has it at once', async () => {
    const env = {
      ...Object.fromEntries(
        ['HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME'].map((name) => [name, process.env[name]!]),
      ),
      HOOKLINE_POLICY_PASSPHRASE: 'correct horse battery staple',
      HOOKLINE_APPROVE_TOKEN: makeToken(join(home, 'XDG_STATE_HOME/hookline')),
    }
    const run = (args: string[], more: Record<string, string> = {}) =>
      hookline(args, '', { cwd: directory, env: { ...env, ...more } })
    const { root } = JSON.parse((await run(['policy', 'init', '--json'])).stdout)
    expect(readText(join(directory, 'keys/policy-1.json'))).not.toContain('pkcs8')
    expect(await run(['policy', 'publish'])).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('hookline policy sign'),
    })
    expect(await run(['policy', 'sign'], { HOOKLINE_POLICY_PASSPHRASE: 'wrong' })).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('not the passphrase'),
    })
    expect(await run(['policy', 'sign'])).toMatchObject({ exit: 0 })
    expect(await run(['policy', 'publish'])).toMatchObject({ exit: 0, stdout: expect.stringContaining('policy 1') })
    const { secret } = (await (await server.send('POST', '/api/enrolments', {})).json()) as { secret: string }
    const enrolled = await run(['enroll', server.url, '--token', secret, '--user', '--yes', '--root', `sha256:${root}`])
    expect(enrolled).toMatchObject({ exit: 0, stdout: expect.stringContaining('policy is in force') })
    const explained = await run(['list', '--json'])
    expect(explained.stdout).toContain('"fleet"')
    expect(await run(['policy', 'status'])).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining(`sha256:${root}`),
    })
    expect(await run(['enroll', '--leave', '--yes'])).toMatchObject({ exit: 0 })
  }, 60_000)
})
