import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer as createHttp } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import {
  enrol,
  journalsIn,
  openMachine,
  openShipper,
  openShippers,
  readEnrolment,
} from '../../hookline/src/fleet/index.ts'
import { nameJournal } from '../../hookline/src/fleet/named-journals.ts'
import { startHookline } from '../../hookline/test/support/cli.ts'
import { remove } from '../../hookline/test/support/scratch.ts'
import { openAlerts, openWatch } from '../src/audit/index.ts'
import { openStore } from '../src/store/index.ts'
import { openHub } from '../src/stream/index.ts'
import { entry, write } from './support/journal.ts'
import { startPostgres, type TestPostgres } from './support/postgres.ts'
import { openServer, readStream, type TestServer } from './support/server.ts'

let postgres: TestPostgres
const places: string[] = []
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  await postgres.stop()
  for (const place of places) remove(place)
})
const place = () => {
  const made = mkdtempSync(join(tmpdir(), 'hookline-audit-'))
  places.push(made)
  return made
}

interface Fleet {
  machines: {
    id: string
    name: string
    entries: number
    unsent: number
    missing: number
    state: string
    broken: unknown
    skew_ms: number
  }[]
}

describe.each(['SQLite', 'PostgreSQL'])('the audit of a fleet, in %s', (name) => {
  let server: TestServer
  let database: string
  beforeEach(async () => {
    const root = place()
    database = name === 'SQLite' ? join(root, 'index.db') : await postgres.database()
    // Turns of agents are no part of this, and take seconds to set up in a new database.
    server = await openServer(root, { database, turns: false })
    onTestFinished(() => server.close())
  })

  async function machine(own = 'anna', directory = place()) {
    const { secret } = (await (await server.send('POST', '/api/enrolments', {})).json()) as { secret: string }
    const { machine: id } = await enrol(directory, { url: server.url, token: secret, name: own })
    const journal = join(directory, 'journal.jsonl')
    const client = openMachine(directory)
    const shipper = () => openShipper({ machine: client, journal, directory })
    return { id, directory, journal, client, shipper }
  }
  const fleet = async () => (await server.json<Fleet>('/api/fleet')).machines
  const decisions = async (query: string) =>
    (
      await server.json<{ decisions: { id: number; subject: string; machine: string | null }[] }>(
        `/api/decisions?all=true&limit=500&${query}`,
      )
    ).decisions

  it('takes the journal of a machine once, shows it, and goes on with what is written', async () => {
    const { id, journal, shipper, directory } = await machine()
    await write(journal, [entry('git push --force'), entry('ls')])
    await shipper().catchUp()
    expect((await decisions(`machine=${id}`)).map(({ subject }) => subject).sort()).toEqual(['git push --force', 'ls'])
    const [newest] = await decisions('text=forc')
    const whole = await server.json<{ line: string; entry: { payload: object } }>(`/api/decisions/${newest!.id}`)
    expect(whole).toMatchObject({
      line: 'as-indexed',
      entry: { payload: { tool_input: { command: 'git push --force' } } },
    })
    await write(journal, [entry('pwd')], { maxBytes: 100 })
    await write(journal, [entry('date')])
    // With nothing of what it knew.
    rmSync(join(directory, 'shipped.json'))
    await shipper().catchUp()
    await shipper().catchUp()
    expect(await decisions(`machine=${id}`)).toHaveLength(4)
    expect(await fleet()).toMatchObject([{ id, entries: 4, unsent: 0, missing: 0, state: 'fine', broken: null }])
  })

  it('takes what is sent twice at the same time once', async () => {
    const { id, journal, client, directory } = await machine()
    await write(
      journal,
      Array.from({ length: 50 }, (_, at) => entry(`echo ${at}`)),
    )
    const other = place()
    const both = [directory, other].map((own) => openShipper({ machine: client, journal, directory: own }))
    await Promise.all(both.map((each) => each.catchUp()))
    expect(await decisions(`machine=${id}`)).toHaveLength(50)
  })

  it('lets no machine write into or read of the journal of another, and refuses what is no journal', async () => {
    const anna = await machine('anna')
    const ben = await machine('ben')
    await write(anna.journal, [entry('ls')])
    await anna.shipper().catchUp()
    const { log } = JSON.parse(readFileSync(anna.journal, 'utf8').split('\n')[0]!) as { log: string }
    // The same journal, sent by another: it is that one's own, and nothing of anna's changes.
    expect(await (await ben.client.fetch(`/api/machines/me/journal?log=${log}`)).json()).toMatchObject({ seq: 0 })
    expect((await ben.client.fetch('/api/decisions')).status).toBe(403)
    expect((await ben.client.fetch('/api/fleet')).status).toBe(403)
    expect((await server.send('POST', `/api/machines/me/journal?log=${log}&seq=0`)).status).toBe(403)
    const send = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
      ben.client.fetch(`/api/machines/me/journal?log=${log}&seq=0`, { method: 'POST', body, headers })
    expect((await send('half a line')).status).toBe(400)
    expect((await send('no gzip\n', { 'content-encoding': 'gzip' })).status).toBe(400)
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(20_000_000, '\n')))
    expect((await send(bomb, { 'content-encoding': 'gzip' })).status).toBe(400)
    expect((await ben.client.fetch(`/api/machines/me/journal?log=../x&seq=0`)).status).toBe(400)
    expect((await fleet()).find(({ name: own }) => own === 'anna')).toMatchObject({ entries: 1, state: 'fine' })
  })

  it('notices changed, removed and foreign lines, and says so', async () => {
    const changed = await machine('changed')
    await write(
      changed.journal,
      ['a', 'b', 'c'].map((each) => entry(`echo ${each}`)),
    )
    writeFileSync(changed.journal, readFileSync(changed.journal, 'utf8').replace('echo b', 'echo x'))
    await changed.shipper().catchUp()
    const cut = await machine('cut')
    await write(
      cut.journal,
      ['a', 'b', 'c'].map((each) => entry(`echo ${each}`)),
    )
    const lines = readFileSync(cut.journal, 'utf8').split('\n')
    writeFileSync(cut.journal, [...lines.slice(0, 2), ...lines.slice(3)].join('\n'))
    await cut.shipper().catchUp()
    const forged = await machine('forged')
    await write(forged.journal, [entry('ls')])
    const { log } = JSON.parse(lines[0]!) as { log: string }
    await forged.client.fetch(`/api/machines/me/journal?log=${log}&seq=0`, { method: 'POST', body: `${lines[1]}\n` })
    const states = new Map((await fleet()).map((each) => [each.name, each]))
    expect(states.get('changed')).toMatchObject({
      state: 'tampered',
      broken: { detail: expect.stringContaining('hash') },
    })
    expect(states.get('cut')).toMatchObject({ state: 'tampered', missing: 1 })
    expect(states.get('forged')).toMatchObject({ state: 'tampered' })
  })

  it('knows what a machine has lost, what it has not sent, and that its clock is wrong', async () => {
    const { journal, client, shipper } = await machine()
    await write(
      journal,
      Array.from({ length: 30 }, (_, at) => entry(`echo ${at}`)),
      { maxBytes: 2_000 },
    )
    // What was rotated away first is gone before anybody has sent it.
    const parts = await import('../../hookline/src/journal/index.ts').then(({ partsOf }) => partsOf(journal))
    expect(parts.length).toBeGreaterThan(3)
    rmSync(parts[0]!)
    await shipper().catchUp()
    const [found] = await fleet()
    expect(found).toMatchObject({ state: 'gap', broken: null })
    expect(found!.missing).toBeGreaterThan(0)
    const { log } = JSON.parse(readFileSync(journal, 'utf8').split('\n')[0]!) as { log: string }
    const wrong = Date.now() + 3_600_000
    await client.fetch(`/api/machines/me/journal?log=${log}&time=${wrong}`)
    expect((await fleet())[0]!.skew_ms).toBeGreaterThan(3_500_000)
  })

  it('sends again what a server has lost, from where that one is', async () => {
    const { id, journal, shipper } = await machine()
    await write(journal, [entry('ls'), entry('pwd')])
    await shipper().catchUp()
    const sql = await openStore(database)
    await sql.run('update machine_logs set seq = 1, head = (select head from machine_logs) where machine = $1', [id])
    const first = JSON.parse(readFileSync(journal, 'utf8').split('\n')[0]!) as { hash: string }
    await sql.run('update machine_logs set head = $1', [first.hash])
    await sql.run('delete from entries')
    await sql.close()
    await write(journal, [entry('date')])
    await shipper().catchUp()
    expect((await decisions(`machine=${id}`)).map(({ subject }) => subject)).toEqual(['date', 'pwd', 'ls'])
    expect(await fleet()).toMatchObject([{ state: 'fine' }])
  })

  it('takes the journals of everybody on a machine, each by itself, as they appear', async () => {
    const { id, directory, journal, client } = await machine()
    const home = (name: string) => join(directory, 'homes', name)
    const journalOf = (own: string) => join(own, 'journal.jsonl')
    mkdirSync(home('ben'), { recursive: true })
    mkdirSync(home('mallory'), { recursive: true })
    await write(journal, [entry('ls')])
    await write(journalOf(home('ben')), [entry('pwd')])
    // What is no file of theirs is not theirs to send: a link to another's, and a pipe that would never end.
    symlinkSync(journal, journalOf(home('mallory')))
    expect(journalsIn([home('ben'), home('mallory'), home('nobody')], journalOf)).toEqual([journalOf(home('ben'))])
    const homes = ['ben']
    const shippers = openShippers({
      ...{ machine: client, directory, own: journal, everyMs: 20, lookMs: 20 },
      others: async () => journalsIn(homes.map(home), journalOf),
    })
    onTestFinished(() => shippers.close())
    const subjects = async () => (await decisions(`machine=${id}`)).map(({ subject }) => subject).sort()
    await expect.poll(subjects).toEqual(['ls', 'pwd'])
    mkdirSync(home('carol'))
    homes.push('carol')
    await write(journalOf(home('carol')), [entry('date')])
    await write(journalOf(home('ben')), [entry('whoami')])
    await expect.poll(subjects).toEqual(['date', 'ls', 'pwd', 'whoami'])
    expect(await fleet()).toMatchObject([{ entries: 4, state: 'fine' }])
  })

  it('moves a machine to another group, also where it fetches its policy from elsewhere', async () => {
    const { id, directory, journal, shipper } = await machine()
    await write(journal, [entry('ls')])
    await shipper().catchUp()
    expect(readEnrolment(directory).group).toBe('default')
    expect((await server.send('PUT', `/api/machines/${id}`, { group: 'canary' })).status).toBe(200)
    await write(journal, [entry('pwd')])
    await shipper().catchUp()
    expect(readEnrolment(directory).group).toBe('canary')
  })

  it('takes a journal from elsewhere, where a process of its owner has named it', async () => {
    const home = place()
    const file = join(place(), 'elsewhere.jsonl')
    const usual = (own: string) => join(own, '.local/state/hookline/journal.jsonl')
    await write(file, [entry('ls')])
    const named = () => journalsIn([home], usual)
    const managed = place()
    // Root has not enrolled this machine: nobody looks for journals, and nothing is left behind.
    nameJournal(file, { home, managed })
    expect(readdirSync(home)).toEqual([])
    mkdirSync(join(managed, 'fleet'))
    writeFileSync(join(managed, 'fleet/machine.json'), '{}')
    nameJournal(file, { home, managed })
    nameJournal(usual(home), { home, managed })
    expect(named()).toEqual([file])
    // What stands there instead of a name keeps nobody waiting, and names nothing.
    const names = join(home, '.local/state/hookline/journals')
    execFileSync('mkfifo', [join(names, 'pipe')])
    symlinkSync(join(names, readdirSync(names)[0]!), join(names, 'link'))
    writeFileSync(join(names, 'relative'), 'elsewhere.jsonl')
    writeFileSync(join(names, 'missing'), join(home, 'nothing.jsonl'))
    expect(named()).toEqual([file])
  })

  it('waits where the server has enough for now, and sends all of it later', async () => {
    const { id, journal, client, directory } = await machine()
    await write(journal, [entry('ls'), entry('pwd')])
    let refusals = 2
    const busy: typeof client = {
      ...client,
      async fetch(path, init) {
        if (init?.method !== 'POST' || refusals === 0) return client.fetch(path, init)
        refusals--
        return new Response(null, { status: 429, headers: { 'retry-after': '0.01' } })
      },
    }
    const lines: string[] = []
    const shipper = openShipper({
      ...{ machine: busy, journal, directory, everyMs: 20 },
      log: (line) => lines.push(line),
    })
    onTestFinished(() => shipper.close())
    await expect.poll(async () => (await decisions(`machine=${id}`)).length, { timeout: 10_000 }).toBe(2)
    expect(refusals).toBe(0)
    await expect
      .poll(() => lines)
      .toEqual(['the journal is not sent: The server has enough for now.', 'the journal is sent again'])
  })

  it('raises an alert once, ends it when it is over, and sends both to every outlet that is there', async () => {
    const sql = await openStore(database)
    onTestFinished(() => sql.close())
    const hub = await openHub(sql)
    onTestFinished(() => hub.close())
    let now = Date.now() - 31 * 86_400_000
    const alerts = openAlerts(sql, hub, () => now)
    let published = { version: 0, since: now }
    const rules = ['never', 'no-force']
    const watch = openWatch({
      sql,
      alerts,
      rules: async () => rules,
      published: () => published,
      log: () => {},
      now: () => now,
      everyMs: 3_600_000,
    })
    onTestFinished(() => watch.close())
    const look = async (later = 3_600_000) => {
      now += later
      await watch.look()
    }
    // Rules that were there a month ago, and one that is new: that one had no time to match.
    await watch.look()
    rules.push('new')
    now = Date.now()
    const hook = await receiver()
    const mails = await mailbox()
    const siem = await collector()
    const local = { allow_private_ips: true }
    const put = async (own: string, body: object) =>
      expect((await server.send('PUT', `/api/outlets/${own}`, body)).status).toBe(200)
    await put('hook', { kind: 'webhook', decisions: 'notable', ...local, settings: { url: hook.url, secret: 's' } })
    await put('ocsf', { kind: 'webhook', ...local, settings: { url: hook.url, format: 'ocsf' } })
    await put('chat', { kind: 'slack', ...local, settings: { url: hook.url } })
    await put('mail', {
      kind: 'mail',
      settings: { url: mails.url, from: 'hookline@example.com', to: 'anna@example.com' },
    })
    await put('siem', { kind: 'syslog', decisions: 'all', settings: { url: siem.url } })
    expect(
      (await server.send('PUT', '/api/outlets/bad', { kind: 'slack', decisions: 'all', settings: { url: hook.url } }))
        .status,
    ).toBe(400)
    const { journal, shipper, id, directory } = await machine()
    const elsewhere = place()
    const open = {
      hooks: [
        {
          id: 'guard',
          stage: 0,
          asked: true,
          failure: { kind: 'exit' as const, detail: 'x' },
          outcome: 'no-opinion' as const,
        },
      ],
    }
    await write(journal, [
      entry('git push --force'),
      entry('ls | cat=1', { ...open, time: new Date(now - 40 * 86_400_000).toISOString() }),
    ])
    await shipper().catchUp()
    await look()
    await look()
    const kinds = async (query = '') =>
      (
        await server.json<{ alerts: { kind: string; count: number; about: string; detail: string }[] }>(
          `/api/alerts${query}`,
        )
      ).alerts
    expect((await kinds()).map(({ kind }) => kind).sort()).toEqual(['failed-open', 'no-events', 'quiet', 'unmatched'])
    expect((await kinds()).filter(({ kind }) => kind === 'unmatched')).toMatchObject([{ about: 'never' }])
    now = Date.now()
    await write(journal, [entry('pwd')])
    await shipper().catchUp()
    const lookAgain = async () => {
      await sql.run("update counters set value = 0 where name = 'watched'")
      await watch.look()
    }
    await lookAgain()
    expect((await kinds()).map(({ kind }) => kind)).not.toContain('quiet')
    const drift = async () => (await kinds()).filter(({ kind }) => kind === 'drift').map(({ detail }) => detail)
    // It says that it has none, and none is published; then one is, and some minutes later it should have it.
    expect(await drift()).toEqual([])
    published = { version: 3, since: now - 60_000 }
    await lookAgain()
    expect(await drift()).toEqual([])
    published = { version: 3, since: now - 600_000 }
    await lookAgain()
    expect(await drift()).toEqual(['anna: no policy is in force there, and 3 is published'])
    published = { version: 0, since: now }
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"command":"pwd"', '"command":"rm"'))
    rmSync(join(directory, 'shipped.json'))
    const other = await machine('ben', elsewhere)
    await openShipper({ machine: other.client, journal, directory: elsewhere }).catchUp()
    await lookAgain()
    expect(await drift()).toEqual([])
    expect((await kinds()).find(({ kind }) => kind === 'tampering')?.detail).toMatch(
      /^ben: line \d+ of the journal .*hash/,
    )
    expect((await kinds('?all=true')).filter(({ kind }) => kind === 'quiet')).toHaveLength(1)
    const got = () => hook.bodies.map(({ body }) => body).join('\n')
    await expect.poll(got).toMatch(/"kind":"quiet"[^}]*"ended":null/)
    await expect.poll(got).toMatch(/"kind":"quiet"[^}]*"ended":"2/)
    const signed = hook.bodies.find(({ headers }) => headers['x-hookline-signature'] !== undefined)!
    expect(signed.headers['x-hookline-signature']).toMatch(/^sha256=[0-9a-f]{64}$/)
    await expect.poll(got).toContain('"class_uid":2004')
    await expect.poll(got).toContain(':rotating_light: A machine has gone quiet')
    await expect.poll(got).toContain('"subject":"git push --force"')
    await expect.poll(() => mails.texts.join('\n')).toMatch(/Subject: Hookline: .*(quiet|alerts)/)
    await expect
      .poll(() => siem.lines.join('\n'))
      .toMatch(
        /^<1\d\d>1 \S+ \S+ hookline \d+ - - CEF:0\|Hookline\|Hookline\|1\|alert:quiet\|A machine has gone quiet\|6\|/m,
      )
    await expect.poll(() => siem.lines.join('\n')).toContain('cs1=ls | cat\\=1')
    // What somebody changed here is named.
    await expect.poll(() => siem.lines.join('\n')).toMatch(/msg=\S.* made the enrolment token/)
    expect(siem.lines.join('\n')).not.toMatch(/cs\dLabel=\w+ cs(?!\d=)/)
    expect((await server.send('POST', '/api/outlets/hook/try')).status).toBe(200)
    expect(id).toBeTruthy()
  })
})

it('what one server writes wakes the streams of another, and a stream goes on at the other when its server is killed', async () => {
  const [database, root] = [await postgres.database(), place()]
  const two = await openServer(place(), { database, turns: false })
  onTestFinished(() => two.close())
  const journal = join(root, 'journal.jsonl')
  const { child } = startHookline(
    ['serve', '--listen', '127.0.0.1:0', '--json', '--database', database, '--journal', journal],
    { cwd: root, env: { ...process.env, HOME: root, XDG_DATA_HOME: root, XDG_STATE_HOME: root, NO_COLOR: '1' } },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const line = await new Promise<string>((resolve) => child.stdout!.once('data', (data) => resolve(String(data))))
  const one = JSON.parse(line) as { url: string; token: string }
  const follow = ({ url, token }: { url: string; token: string }, after: string) =>
    readStream(`${url}/api/events?types=decision&after=${after}`, { authorization: `Bearer ${token}` }, 20)
  const stop = new AbortController()
  const writing = (async () => {
    for (let at = 0; !stop.signal.aborted; at++) await write(at % 2 ? two.journal : journal, [entry(`echo ${at}`)])
  })()
  const first = await follow(one, '0')
  child.kill('SIGKILL')
  const rest = await follow(two, first.at(-1)!.id)
  stop.abort()
  await writing
  const ids = [...first, ...rest].map(({ id }) => Number(id))
  const sql = await openStore(database)
  const rows = await sql.all<{ id: number }>('select id from entries where id >= $1 and id <= $2 order by id', [
    ids[0]!,
    ids.at(-1)!,
  ])
  await sql.close()
  expect(ids).toEqual(rows.map(({ id }) => id))
})

it('two servers that follow the same journal write every entry once', async () => {
  const database = await postgres.database()
  const root = place()
  const servers = [
    await openServer(root, { database, turns: false }),
    await openServer(root, { database, turns: false }),
  ]
  onTestFinished(async () => void (await Promise.all(servers.map((each) => each.close()))))
  for (let round = 0; round < 10; round++) await write(servers[0]!.journal, [entry(`echo ${round}`), entry('ls')])
  const listed = async () =>
    (await servers[1]!.json<{ decisions: { seq: number }[] }>('/api/decisions?all=true&limit=100')).decisions.map(
      ({ seq }) => seq,
    )
  await expect.poll(async () => (await listed()).length).toBeGreaterThanOrEqual(20)
  expect(new Set(await listed()).size).toBe(20)
  expect(await listed()).toHaveLength(20)
})

it('forgets what arrived before the days that are kept, and nothing else', async () => {
  const sql = await openStore(await postgres.database(), { partSize: 10 })
  onTestFinished(() => sql.close())
  const hub = await openHub(sql)
  onTestFinished(() => hub.close())
  let now = Date.now()
  const options = { sql, rules: async () => [], log: () => {}, now: () => now, everyMs: 3_600_000 }
  const watch = openWatch({ ...options, alerts: openAlerts(sql, hub, () => now), keepDays: 30 })
  onTestFinished(() => watch.close())
  const publish = async (count: number) => {
    for (let at = 0; at < count; at++) await hub.publish('x', { at })
  }
  const kept = async () => (await sql.all<{ count: number }>('select count(*) as count from events'))[0]!.count
  await publish(25)
  await watch.look()
  now += 29 * 86_400_000
  await publish(10)
  await watch.look()
  expect(await kept()).toBe(35)
  now += 2 * 86_400_000
  await watch.look()
  expect(await kept()).toBe(10)
})

it('the daemon of an enrolled machine sends what is written, by itself', async () => {
  const server = await openServer(place())
  onTestFinished(() => server.close())
  const root = place()
  const env = {
    ...{ HOME: join(root, 'home'), XDG_CONFIG_HOME: join(root, 'config'), XDG_STATE_HOME: join(root, 'state') },
    ...{ XDG_DATA_HOME: join(root, 'd'), NO_COLOR: '1', HOOKLINE_APPROVE_TOKEN: '' },
  }
  const { secret } = (await (await server.send('POST', '/api/enrolments', {})).json()) as { secret: string }
  await enrol(join(root, 'd/hookline/fleet'), { url: server.url, token: secret, name: 'anna' })
  const { child } = startHookline(['daemon'], { cwd: root, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  mkdirSync(join(root, 'state/hookline'), { recursive: true, mode: 0o700 })
  await write(join(root, 'state/hookline/journal.jsonl'), [entry('ls')])
  await expect
    .poll(async () => (await server.json<Fleet>('/api/fleet')).machines[0])
    .toMatchObject({ entries: 1, state: 'fine' })
})

async function receiver() {
  const bodies: { body: string; headers: Record<string, unknown> }[] = []
  const server = createHttp(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    bodies.push({ body, headers: request.headers })
    response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

/** As much of SMTP as it takes to get a mail. */
async function mailbox() {
  const texts: string[] = []
  const server = createServer((socket) => {
    let data: string | undefined
    let rest = ''
    const say = (text: string) => socket.write(`${text}\r\n`)
    say('220 here')
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      rest += chunk
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end)
        rest = rest.slice(end + 2)
        if (data !== undefined) {
          if (line !== '.') data += `${line}\n`
          else {
            texts.push(data)
            data = undefined
            say('250 taken')
          }
        } else if (/^DATA/i.test(line)) {
          data = ''
          say('354 go on')
        } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
        else say('250 yes')
      }
    })
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { texts, url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function collector() {
  const lines: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (message) => lines.push(message.toString()))
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => void socket.close())
  return { lines, url: `udp://127.0.0.1:${socket.address().port}` }
}
