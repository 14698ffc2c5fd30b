import { once } from 'node:events'
import { symlinkSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loginFromHere } from '../../src/person/logins.ts'
import { type Connections, connectionsNow, type RunningProcess } from '../../src/platform/index.ts'
import { binary, hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'
import { terminal } from '../support/terminal.ts'

/** A connection of this machine to itself, as `ssh localhost` has one. */
async function connected(host: string) {
  const server = createServer((socket) => socket.on('error', () => {}))
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect(port, host)
  await once(client, 'connect')
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  return { server: port, client: client.localPort! }
}

/** A terminal of a login: our command line runs under something called sshd. */
function login(variables: string) {
  const root = scratch({ 'hookline.yaml': 'version: 1\nhooks:\n  - { id: one, event: stop, run: exit 0 }\n' })
  const sshd = join(root, 'sshd')
  symlinkSync('/bin/sh', sshd)
  const env = { HOME: root, XDG_STATE_HOME: join(root, 'state'), NO_COLOR: '1', HOOKLINE_APPROVE_TOKEN: '' }
  const inner = `env ${variables} '${process.execPath}' '${binary}' approve --all; true`
  const screen = terminal([], { cwd: root, env, columns: 160, program: [sshd, '-c', inner] })
  const approved = async () => {
    const { stdout } = await hookline(['list', '--json'], '', { cwd: root, env })
    return (JSON.parse(stdout) as { trust: string }[]).filter(({ trust }) => trust === 'approved').length
  }
  return { screen, approved }
}

describe.runIf(process.platform === 'linux')('a login over the network', () => {
  it('that comes from this machine is no person: a program may type into it', async () => {
    const { client, server } = await connected('127.0.0.1')
    const { screen, approved } = login(`SSH_CONNECTION='127.0.0.1 ${client} 127.0.0.1 ${server}'`)
    expect((await screen.ended()).screen).toMatch(/needs a person, and `ssh` types/)
    expect(await approved()).toBe(0)
  })

  it.each(['-u SSH_CONNECTION', "SSH_CONNECTION='203.0.113.7 1 203.0.113.8 2'"])(
    'of which nobody can tell where it comes from is none: %s',
    async (variables) => {
      const { screen, approved } = login(variables)
      expect((await screen.ended()).screen).toMatch(/needs a person, and `ssh` types/)
      expect(await approved()).toBe(0)
    },
  )

  it.each(['127.0.0.1', '::1'])('is found in the tables of the system, whoever is connected: %s', async (host) => {
    const { client, server } = await connected(host).catch(() => ({ client: 0, server: 0 }))
    if (client === 0) return expect(host).toBe('::1') // A machine without IPv6 has no such login.
    const now = connectionsNow()!
    expect(now.has(server, client)).toBe(true)
    expect(now.clientsOf(new Set([server]))).toContain(process.pid)
    expect(now.clientsOf(new Set([client + 1]))).toBeUndefined()
  })

  const running = (more: Partial<RunningProcess>): RunningProcess => ({
    ...{ pid: 2, parent: 1, session: 2, name: 'bash', words: [], variables: new Map(), owner: process.getuid!() },
    ...more,
  })
  const lineage = [
    running({ variables: new Map([['SSH_CONNECTION', '203.0.113.7 50000 203.0.113.8 22']]) }),
    running({ pid: 1, name: 'sshd', owner: 0 }),
  ]
  const table = (more: Partial<Connections>): Connections => ({ has: () => true, clientsOf: () => undefined, ...more })

  it('from another machine is a person’s', () => {
    expect(loginFromHere(lineage, table({}))).toBeUndefined()
  })

  it('from another machine may be another one, while this machine has one to itself', () => {
    expect(loginFromHere(lineage, table({ clientsOf: () => [7] }))).toEqual({ clients: [7] })
    expect(loginFromHere(lineage, table({ clientsOf: () => [] }))).toEqual({ clients: [] })
  })

  it('of another user than the one who acts now shows no variables, and is taken for a person’s', () => {
    const became = [running({}), running({ owner: 4242, name: 'sudo' }), ...lineage.slice(1)]
    expect(loginFromHere(became, table({ has: () => false }))).toBeUndefined()
  })

  it('is none where no server of logins is above', () => {
    expect(loginFromHere(lineage.slice(0, 1), table({ clientsOf: () => [7] }))).toBeUndefined()
  })
})
