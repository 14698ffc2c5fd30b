import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { usable } from '../../hookline/src/cli/policy/follow.ts'
import type { FleetReplay } from '../../hookline/src/cli/replay/fleet.ts'
import { writeEnrolment } from '../../hookline/src/fleet/enrolment.ts'
import { fetchPolicy, followPolicy } from '../../hookline/src/fleet/follow.ts'
import { currentIn, enrol, openMachine, openShipper, readEnrolment } from '../../hookline/src/fleet/index.ts'
import { freshen } from '../../hookline/src/fleet/publish/index.ts'
import { sourceOf } from '../../hookline/src/fleet/source.ts'
import type { EntryInput, HookEntry } from '../../hookline/src/journal/index.ts'
import { makeToken } from '../../hookline/src/trust/index.ts'
import { hookline, startHookline } from '../../hookline/test/support/cli.ts'
import { machine, publisher } from '../../hookline/test/support/fleet.ts'
import { missing, remove, scratch } from '../../hookline/test/support/scratch.ts'
import { publishedRules } from '../src/audit/index.ts'
import { openPolicies } from '../src/policy/index.ts'
import { entry, write } from './support/journal.ts'
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

  it('is fetched a few times, and then seldom, from a place that gives the same a new name each time', async () => {
    const writer = publisher({ 'default/hookline.yaml': deny('fly') })
    writer.release()
    let looks = 0
    const files = createServer((request, response) => {
      if (request.url === '/timestamp.json') response.setHeader('etag', `"${++looks}"`)
      const file = join(writer.repository, request.url!)
      response.statusCode = existsSync(file) ? 200 : 404
      response.end(existsSync(file) ? readFileSync(file) : '')
    })
    await new Promise<void>((done) => files.listen(0, '127.0.0.1', done))
    const { port } = files.address() as AddressInfo
    const { directory } = machine(writer.repository)
    writeEnrolment(directory, { ...readEnrolment(directory), policy: `http://127.0.0.1:${port}` })
    const follower = followPolicy(
      directory,
      async () => {},
      () => {},
    )
    onTestFinished(async () => {
      await follower.stop()
      files.close()
    })
    // Twice a turn: what is there, and whether it is new.
    await until(() => looks >= 10)
    await delay(200)
    expect(looks).toBe(10)
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

  it('is known of every machine, as it is in force there: which one, and what is wrong with it', async () => {
    const { writer, server, join: enter } = await fleet()
    const [anna, ben] = [await enter(), await enter()]
    const told = async () => {
      const { machines, published } = await server.json<{
        machines: { id: string; policy: { version: number; state: string } | null }[]
        published: number
      }>('/api/fleet')
      const of = (id: string) => machines.find((each) => each.id === id)?.policy ?? null
      return { anna: of(anna.enrolment.machine), ben: of(ben.enrolment.machine), published }
    }
    expect(await told()).toEqual({ anna: null, ben: null, published: 1 })
    await anna.fetch()
    await anna.machine.fetch('/api/machines/me')
    await ben.machine.fetch('/api/machines/me')
    expect(await told()).toEqual({
      anna: { version: 1, state: 'fine' },
      ben: { version: 0, state: 'none' },
      published: 1,
    })
    writer.release({ 'default/hookline.yaml': deny('ride') })
    expect((await told()).published).toBe(2)
    const list = join(writer.repository, '2.targets.json')
    writeFileSync(list, readText(list).replace('"version":2', '"version":3'))
    await expect(anna.fetch()).rejects.toThrow()
    await anna.machine.fetch('/api/machines/me')
    expect((await told()).anna).toEqual({ version: 1, state: 'refused' })
    rmSync(join(anna.directory, 'current'))
    await anna.machine.fetch('/api/machines/me')
    expect((await told()).anna).toEqual({ version: 0, state: 'broken' })
    const odd = await anna.machine.fetch('/api/machines/me', { headers: { 'hookline-policy': '9 perfect' } })
    expect(odd.status).toBe(200)
  })

  it('is renewed by a server that has the online key, for as long as it was signed for', async () => {
    const writer = publisher({ 'default/hookline.yaml': deny('fly') })
    writer.release({}, { expires: { root: 365, policy: 365, freshness: 2 } })
    const days = () =>
      (Date.parse(JSON.parse(readText(join(writer.repository, 'timestamp.json'))).signed.expires) - Date.now()) /
      86_400_000
    freshen(writer.repository, [writer.keys.online], 0.5)
    expect(days()).toBeLessThan(1)
    // The third key that it made; and nothing but what is published.
    const key = join(writer.directory, 'keys', '3.json')
    const server = await openServer(undefined, { policy: { directory: writer.repository, key } })
    onTestFinished(() => server.end())
    await until(() => days() > 1)
    expect(days()).toBeLessThan(2.1)
  })

  it('has rules that the server knows, of every group and of bundles beside them', async () => {
    const writer = publisher({
      'default/hookline.yaml': `${deny('fly')}use: [./bundles/own.yaml]\n`,
      'default/bundles/own.yaml': 'name: own\ndoc: Ours.\nrules:\n  - id: no-walk\n    deny: { run: walk }\n',
      'canary/hookline.yaml': deny('sail'),
    })
    const policies = openPolicies(writer.repository, undefined, () => {})
    onTestFinished(() => policies.close())
    expect(await publishedRules(policies)).toEqual([])
    writer.release()
    expect((await publishedRules(policies)).sort()).toEqual(['own:no-walk', 'rule-fly', 'rule-sail'])
  })

  it('is missed at once: a server does not start for a policy or a key that is not there', async () => {
    const nowhere = missing()
    const serve = (...args: string[]) => hookline(['serve', '--listen', '127.0.0.1:0', ...args], '')
    expect(await serve('--policy', nowhere)).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining(`${nowhere} is no directory.`),
    })
    expect(await serve('--policy', scratch({}), '--policy-key', nowhere)).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining(`${nowhere} is no file.`),
    })
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

describe('before a policy counts', () => {
  const replay = (directory: string, { url }: TestServer) => ['replay', '--policy', directory, '--fleet', url]
  const calls = ['fly away', 'sail', 'walk']
  async function withHistory() {
    const { writer, server, join: enrolled } = await fleet()
    const ship = async (group: string, entries: EntryInput[]) => {
      const { directory, machine } = await enrolled(group)
      const journal = join(directory, 'journal.jsonl')
      await write(journal, entries)
      const shipper = openShipper({ machine, journal, directory })
      await shipper.catchUp()
      await shipper.close()
    }
    return { writer, server, ship }
  }

  it('the fleet shows what would be blocked by what only watches, by rule, and nothing else', async () => {
    const { server, ship } = await withHistory()
    const would = (command: string, outcome: 'deny' | 'ask', shadow = true): EntryInput => ({
      ...entry(command),
      hooks: [
        { id: 'guard.js', stage: 0, asked: true, outcome, ...(shadow && { shadow: true as const }) },
        {
          id: 'rules',
          stage: 0,
          asked: true,
          outcome,
          rules: [`no-${outcome}`],
          ...(shadow && { shadow: true as const }),
        },
      ],
    })
    await ship('default', [would('a', 'deny'), would('b', 'deny'), would('c', 'ask'), would('d', 'deny', false)])
    await ship('canary', [would('a', 'deny')])
    const found = await server.json<Record<'rules' | 'hooks', { id: string }[]>>('/api/fleet/shadow')
    expect(found.rules).toMatchObject([
      { id: 'no-deny', outcome: 'deny', count: 3, machines: 2 },
      { id: 'no-ask', outcome: 'ask', count: 1, machines: 1 },
    ])
    expect(found.hooks.map(({ id }) => id)).toEqual(['guard.js', 'guard.js'])
    expect((await server.json<typeof found>('/api/fleet/shadow?group=canary')).rules).toMatchObject([
      { count: 1, machines: 1 },
    ])
    expect((await server.get('/api/fleet/shadow?since=soon')).status).toBe(400)
  })

  it('a guard that fails while it watches is among them where it would block, and not where it would not', async () => {
    const { server, ship } = await withHistory()
    const failed = (id: string, more: Partial<HookEntry>): HookEntry => ({
      ...{ id, stage: 0, asked: true, outcome: 'failure', shadow: true, failure: { kind: 'exit', detail: '3' } },
      ...more,
    })
    const closed = { opinion: { decision: { ruling: 'deny' as const, reason: 'It failed.' } } }
    await ship('default', [
      { ...entry('a'), hooks: [failed('closed', closed), failed('rules', closed), failed('open', {})] },
    ])
    const { hooks } = await server.json<{ hooks: object[] }>('/api/fleet/shadow')
    expect(hooks).toMatchObject([
      { id: 'closed', outcome: 'deny', count: 1, failed: true },
      { id: 'rules', outcome: 'deny', count: 1, failed: true },
    ])
    const stats = await server.json<{ hooks: { hook: string; denied: number; failures: number }[] }>('/api/stats')
    expect(stats.hooks.find(({ hook }) => hook === 'closed')).toMatchObject({ denied: 0, failures: 1 })
  })

  it('a candidate is tried on what machines of a group have sent, against the policy in force', async () => {
    const { writer, server, ship } = await withHistory()
    // As it was decided there: by the policy in force, and once by a rule of the user, which no policy undoes.
    const denied = (command: string): EntryInput => ({
      ...entry(command),
      outcome: 'deny',
      decision: { ruling: 'deny', reason: 'no' },
    })
    await ship('default', [denied('fly away'), denied('swim'), ...calls.slice(1).map((command) => entry(command))])
    await ship(
      'canary',
      calls.map((command) => entry(command)),
    )
    const tried = async (args: readonly string[]) => {
      const env = { HOOKLINE_SERVER_TOKEN: server.token }
      const { stdout } = await hookline([...replay(writer.directory, server), '--json', ...args], '', { env })
      const { replayed, counts, changes } = JSON.parse(stdout) as FleetReplay
      return { replayed, counts, changes: changes.map(({ about, kind, machine }) => `${kind} ${machine} ${about}`) }
    }
    expect(await tried([])).toEqual({ replayed: 7, counts: {}, changes: [] })
    writer.put({ 'default/hookline.yaml': deny('walk'), 'canary/hookline.yaml': deny('walk') })
    const { counts, changes } = await tried([])
    expect(counts).toEqual({ allowed: 2, blocked: 2 })
    expect(changes[0]).toMatch(/^allowed m .*fly away$/)
    expect(changes[1]).toMatch(/^blocked m .*walk$/)
    expect(await tried(['--group', 'canary'])).toMatchObject({ replayed: 3, counts: { allowed: 1, blocked: 1 } })
    expect(await tried(['--limit', '1', '--since', '1h'])).toMatchObject({ replayed: 1, counts: { blocked: 1 } })
    // As it lies on the server, for its console.
    writer.put({ 'fleet.yaml': 'version: 1\n' })
    const { files } = await server.json<{ files: { layer: string; group?: string; text: string }[] }>('/api/configs')
    expect(files.filter(({ layer }) => layer === 'fleet')).toMatchObject([
      { group: 'canary', text: deny('walk') },
      { group: 'default', text: deny('walk') },
    ])
    expect((await server.send('POST', '/api/replays', { policy: {} })).status).toBe(202)
  })

  it('a candidate with a mistake, and whoever is nobody there, are refused', async () => {
    const { writer, server } = await withHistory()
    const args = replay(writer.directory, server)
    expect(await hookline(args)).toMatchObject({ exit: 64, stderr: expect.stringContaining('HOOKLINE_SERVER_TOKEN') })
    const stranger = await hookline(args, '', { env: { HOOKLINE_SERVER_TOKEN: 'hl_nobody' } })
    expect(stranger.exit).toBe(1)
    writer.put({ 'default/hookline.yaml': 'version: 1\nrules: 7' })
    const wrong = await hookline(args, '', { env: { HOOKLINE_SERVER_TOKEN: server.token } })
    expect(wrong.exit).toBe(1)
    expect(wrong.stderr).toContain('rules')
  })
})
