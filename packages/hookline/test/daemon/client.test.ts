import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { decodeCall, encodeAnswer, encodeFrame, frameReader, type HostCall } from '../../src/daemon/index.ts'
import { entryProgram } from '../../src/hosts/index.ts'
import { clientHere, installClient } from '../../src/install/client.ts'
import { entryScript, loaders } from '../../src/install/engine.ts'
import { packageFile } from '../../src/platform/index.ts'
import { agentCall, shellCall } from '../support/agent-calls.ts'
import { missing, scratch } from '../support/scratch.ts'

const client = clientHere()
const env = { PATH: process.env['PATH'] ?? '', HOME: '/nowhere' }

/** The client with a daemon and an engine that the test plays: the engine refuses, and says who it is. */
function world(engine = `process.stdin.resume().on('end', () => console.log('{"by":"the engine"}'))`) {
  const root = scratch({ 'engine.mjs': engine })
  const socket = join(root, 'run', 'daemon.sock')
  const table = { engine: 'e1', node: process.execPath, program: join(root, 'engine.mjs'), socket }
  const entry = join(root, 'bin', entryProgram)
  mkdirSync(dirname(socket), { mode: 0o700 })
  expect(installClient(entry, client!, table)).toBe(true)
  const answered = JSON.stringify({ by: 'the daemon' })
  return {
    ...{ root, socket, entry, answered },
    call: (event: 'pre_tool_use' | 'stop' = 'pre_tool_use', payload: unknown = shellCall('ls', root), more = {}) =>
      agentCall(entry, payload, { event, cwd: root, env: { ...env, ...more }, wrapped: true }),
    /** Each call is handed to this, and whatever it writes is what the client gets. */
    plays: (play: (stream: Socket, call: HostCall) => void) => listening(socket, play),
    changeTable(change: (text: string) => string) {
      writeFileSync(`${entry}.table`, change(readFileSync(`${entry}.table`, 'utf8')))
    },
  }
}

async function listening(socket: string, play: (stream: Socket, call: HostCall) => void): Promise<Server> {
  const server = createServer((stream) => {
    const read = frameReader()
    stream.on('error', () => {})
    stream.on('data', (chunk) => {
      for (const { body } of read(chunk)) play(stream, decodeCall(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  onTestFinished(() => void server.close())
  return server
}

/** A daemon that listens, and is stopped. */
async function stoppedAt(socket: string): Promise<void> {
  const listens = "require('node:net').createServer().listen(process.argv[1], () => console.log('up'))"
  const daemon = spawn(process.execPath, ['-e', listens, socket], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void daemon.kill('SIGKILL'))
  await once(daemon.stdout, 'data')
  daemon.kill('SIGSTOP')
}

const byEngine = { exit: 0, stdout: '{"by":"the engine"}', stderr: '' }

describe('the client', () => {
  it('hands over the event whole, with everything a process of its own would have, and prints the answer', async () => {
    const { call, plays, answered, root } = world()
    const calls: HostCall[] = []
    await plays((stream, call) => {
      calls.push(call)
      stream.write(encodeFrame('working'))
      const answer = encodeFrame('answer', encodeAnswer({ exit: 0, stdout: answered, stderr: 'beside\n' }))
      for (const byte of answer) stream.write(Buffer.from([byte]))
    })
    const payload = JSON.stringify({ ...shellCall('ls', root), more: 'é'.repeat(400_000) })
    expect(await call('pre_tool_use', payload, { WHO: 'me' })).toEqual({
      exit: 0,
      stdout: answered,
      stderr: 'beside\n',
    })
    expect(calls[0]).toMatchObject({ engine: 'e1', host: 'claude', event: 'pre_tool_use', cwd: root })
    expect(calls[0]?.env['WHO']).toBe('me')
    expect(calls[0]?.payload.toString()).toBe(payload)
  })

  it.each<[string, (stream: Socket) => void]>([
    ['goes away', (stream) => stream.destroy()],
    ['says nothing anybody knows', (stream) => stream.end('HTTP/1.1 200 OK\r\n\r\n')],
    ['sends half an answer', (stream) => stream.end(encodeFrame('answer', Buffer.from('half')).subarray(0, 10))],
    ['promises more than it sends', (stream) => stream.end(Buffer.from('HL\x01\x02\x00\x00\xff\xff{}', 'latin1'))],
    ['promises more than anybody sends', (stream) => stream.end(Buffer.from('HL\x01\x02\xff\xff\xff\xff', 'latin1'))],
    ['speaks another version', (stream) => stream.end(Buffer.from('HL\x02\x02\x00\x00\x00\x00', 'latin1'))],
    ['declines', (stream) => stream.end(encodeFrame('decline', Buffer.from('full')))],
    [
      'answers with what is no object',
      (stream) => stream.end(encodeFrame('answer', encodeAnswer({ exit: 0, stdout: 'ok', stderr: '' }))),
    ],
    [
      'answers with nothing',
      (stream) => stream.end(encodeFrame('answer', encodeAnswer({ exit: 0, stdout: '', stderr: '' }))),
    ],
  ])('runs the engine itself when the daemon %s', async (_what, play) => {
    const { call, plays } = world()
    await plays(play)
    expect(await call()).toEqual(byEngine)
  })

  it('runs the engine itself when the daemon is silent, or its socket is no socket; and does not wait for one that is stopped', async () => {
    const [silent, blocked, stopped] = [world(), world(), world()]
    await silent.plays(() => {})
    writeFileSync(blocked.socket, '')
    await stoppedAt(stopped.socket)
    const order: string[] = []
    const called = Object.entries({ silent, blocked, stopped }).map(async ([name, { call }]) => {
      const answer = await call()
      order.push(name)
      return answer
    })
    expect(await Promise.all(called)).toEqual([byEngine, byEngine, byEngine])
    if (process.platform === 'linux') expect(order.at(-1)).toBe('silent')
  })

  it.each<[string, string]>([
    ['crashes', 'process.exit(1)'],
    ['is killed', "process.kill(process.pid, 'SIGKILL')"],
    ['prints nothing', ''],
    ['prints what is no object', "console.log('fine by me')"],
    ['cannot be loaded', "import './missing.mjs'"],
  ])('refuses where something waits, and warns elsewhere, when its engine %s', async (_what, engine) => {
    const { call } = world(engine)
    const [before, stop] = [await call(), await call('stop')]
    expect([before.exit === 2 && before.stderr !== '', before.stdout.includes('"deny"')]).toContain(true)
    expect(stop.exit).toBe(0)
    expect(stop.stderr).toMatch(/Hookline/)
    expect(stop.stdout).not.toContain('block')
  })

  it('refuses in the words of the agent when there is no Node and no engine, and says how to repair it', async () => {
    const { call, changeTable, entry, root } = world()
    changeTable((text) => text.replace(/^node .*$/m, `node ${missing('node')}`))
    const without = await agentCall(entry, shellCall('ls', root), { cwd: root, env: { ...env, PATH: '' } })
    expect(JSON.parse(without.stdout).hookSpecificOutput).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringMatching(/Node .* is gone\. Repair it: npx hookline install claude$/),
    })
    const gemini = await agentCall(entry, '{}', { host: 'gemini', cwd: root, env: { ...env, PATH: '' } })
    expect(JSON.parse(gemini.stdout)).toMatchObject({ decision: 'deny', reason: expect.stringContaining('Node') })
    // Another Node in the PATH will do, but none inside of the project.
    expect(await call()).toEqual(byEngine)
    mkdirSync(join(root, 'inside'))
    writeFileSync(join(root, 'inside/node'), '#!/bin/sh\necho "{}"\n')
    chmodSync(join(root, 'inside/node'), 0o755)
    expect((await call('pre_tool_use', '{}', { PATH: `${join(root, 'inside')}` })).stdout).toContain('"deny"')
  })

  it('starts daemon and engine without the variables that run code in front of them; so does the script', async () => {
    const { call, entry, root } = world(
      `import { appendFileSync } from 'node:fs'
       appendFileSync(process.env.SEEN, JSON.stringify([process.argv[2], ...Object.keys(process.env)]) + '\\n')
       process.stdin.resume().on('end', () => console.log('{"by":"the engine"}'))`,
    )
    const seen = join(root, 'seen')
    const planted = { ...Object.fromEntries(loaders.map((name) => [name, missing('code')])), SEEN: seen }
    const options = { ...planted, NODE_OPTIONS: `--require ${missing('code.cjs')}` }
    // The shell around the entry complains of what it cannot load.
    expect(await call('pre_tool_use', '{}', options)).toMatchObject({ stdout: byEngine.stdout })
    writeFileSync(entry, entryScript(process.execPath, join(root, 'engine.mjs')))
    expect(await call('pre_tool_use', '{}', options)).toMatchObject({ stdout: byEngine.stdout })
    const starts = readFileSync(seen, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as string[])
    expect(starts.map(([command]) => command)).toEqual(['daemon', 'dispatch', 'dispatch'])
    expect(starts.flatMap((names) => names.filter((name) => loaders.some((each) => each === name)))).toEqual([])
  })

  it('gives up before the agent does, and refuses', async () => {
    const { call, changeTable, plays } = world('setInterval(() => {}, 1000)')
    changeTable((text) => text.replace(/^wait 50000$/m, 'wait 1500'))
    await plays((stream) => stream.end(encodeFrame('decline', Buffer.from('full'))))
    const { exit, stdout } = await call()
    expect([exit, stdout]).toEqual([0, expect.stringContaining('it took too long')])
  })

  it('without its table, or with a damaged one, it refuses', async () => {
    const { call, changeTable, entry } = world()
    changeTable((text) => text.slice(0, 30))
    expect(await call()).toMatchObject({ exit: 2, stdout: '' })
    rmSync(`${entry}.table`)
    expect(await call()).toMatchObject({ exit: 2, stderr: expect.stringContaining('its table is gone') })
  })
})

describe('committed binaries', () => {
  it.each(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'])('%s is what was summed up', (target) => {
    const [platform, arch] = target.split('-') as [NodeJS.Platform, NodeJS.Architecture]
    expect(clientHere(platform, arch)?.length).toBeGreaterThan(10_000)
    expect(readFileSync(packageFile('client/SHA256SUMS'), 'utf8')).toContain(`  ${target}/${entryProgram}\n`)
  })
})
