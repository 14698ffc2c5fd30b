import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  connectDaemon,
  decodeAnswer,
  encodeAnswer,
  encodeCall,
  encodeFrame,
  type Frame,
  frameReader,
} from '../../src/daemon/index.ts'
import { engineName } from '../../src/install/index.ts'
import { agentCall, agentHome, eventually, shellCall } from '../support/agent-calls.ts'
import { hookline, unmarked } from '../support/cli.ts'

const { root, project, env, entry, socket, status, stop } = agentHome()
writeFileSync(join(project, 'hookline.yaml'), 'version: 1\nrules:\n  - deny: { run: git push --force }\n')

const isRoot = process.getuid?.() === 0
const bad = 'git push --force'
const denied = (stdout: string) => stdout.includes('"deny"')
const call = (command: string) => agentCall(entry, shellCall(command, project), { cwd: project, env, wrapped: true })

/** A daemon that has answered once. */
async function running() {
  expect(denied((await call(bad)).stdout)).toBe(true)
  return (await status())!
}

function frameOf(command: string, given: { directory?: string; cwd?: string } = {}): Buffer {
  const { dev, ino } = statSync(project, { bigint: true })
  return encodeFrame(
    'call',
    encodeCall({
      ...{ engine: engineName(), host: 'claude', event: 'pre_tool_use', deadlineMs: 30_000, umask: 0o022 },
      ...{ cwd: project, directory: `${dev}:${ino}`, env: unmarked(env), ...given },
      payload: Buffer.from(JSON.stringify(shellCall(command, given.cwd ?? project))),
    }),
  )
}

/** What comes back until the other end hangs up. */
async function exchange(...parts: Buffer[]): Promise<Frame[]> {
  const read = frameReader()
  const frames: Frame[] = []
  const stream = await open()
  stream.on('data', (chunk) => frames.push(...read(chunk)))
  for (const part of parts) stream.write(part)
  await once(stream, 'close')
  return frames
}

async function open(): Promise<Socket> {
  const stream = connect(socket)
  onTestFinished(() => void stream.destroy())
  stream.on('error', () => {})
  await once(stream, 'connect')
  return stream
}

const kinds = (frames: readonly Frame[]) => frames.map(({ kind }) => kind)

describe('a connection', () => {
  it('is for one call: a second one behind it is not judged, and its answer cannot be taken for that of the first', async () => {
    const { calls } = await running()
    const both = await exchange(Buffer.concat([frameOf(bad), frameOf('ls')]))
    expect(both.filter(({ body }) => !denied(decodeAnswer(body).stdout))).toEqual([])
    const message = encodeFrame('message', Buffer.from(JSON.stringify({ number: 1, do: 'status' })))
    expect(kinds(await exchange(Buffer.concat([frameOf(bad), message])))).not.toContain('message')
    expect(kinds(await exchange(Buffer.concat([message, frameOf(bad)])))).not.toContain('answer')
    expect((await status())!.calls.served).toBeLessThanOrEqual(calls.served + 2)
  })

  it('that sends no frame, half of one, or more than anybody sends, ends, and the next call is answered', async () => {
    const { pid, calls } = await running()
    const whole = frameOf(bad)
    const huge = encodeFrame('call')
    huge.writeUInt32BE(0xff_ff_ff_ff, 4)
    for (const bytes of [huge, Buffer.from('GET / HTTP/1.1\r\n\r\n'), encodeFrame('call', Buffer.from('\0\0\0\x09ab'))])
      expect(kinds(await exchange(bytes))).not.toContain('answer')
    const half = await open()
    half.end(whole.subarray(0, whole.length / 2))
    await once(half, 'close')
    expect(denied((await call(bad)).stdout)).toBe(true)
    expect(await status()).toMatchObject({ pid, calls: { served: calls.served + 1 } })
  })

  it('that writes slowly is answered when it is done, and holds up nobody', async () => {
    await running()
    const slow = await open()
    const read = frameReader()
    const answers: Frame[] = []
    slow.on('data', (chunk) => answers.push(...read(chunk)))
    const closed = once(slow, 'close')
    const bytes = frameOf(bad)
    for (let at = 0; at < bytes.length; at += 64) {
      slow.write(bytes.subarray(at, at + 64))
      if (at === 64) expect(denied((await call(bad)).stdout)).toBe(true)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await closed
    expect(answers.map(({ body }) => denied(decodeAnswer(body).stdout))).toEqual([true])
  })
})

describe('a call', () => {
  it('from a directory that is another one here, or none, is left to the caller', async () => {
    await running()
    const { dev, ino } = statSync(dirname(project), { bigint: true })
    for (const given of [{ directory: `${dev}:${ino}` }, { directory: '' }, { cwd: join(project, 'gone') }]) {
      const [frame] = await exchange(frameOf(bad, given))
      expect([frame?.kind, String(frame?.body)]).toEqual(['decline', 'directory'])
    }
  })
})

describe('the daemon', () => {
  it('neither ends nor reloads for what runs under an agent, nor for who does not show itself', async () => {
    const { pid } = await running()
    const daemon = (await connectDaemon({ socket }))!
    onTestFinished(() => daemon.close())
    for (const wish of ['stop', 'reload'] as const) {
      await expect(daemon.request(wish, {} as never)).rejects.toThrow(/which process/)
      await expect(daemon.request(wish, { pid: process.pid })).rejects.toThrow(/which process/)
    }
    const stopped = await hookline(['daemon', 'stop'], '', { env: { ...env, CLAUDECODE: '1' } })
    expect([stopped.exit, stopped.stderr]).toEqual([1, expect.stringMatching(/runs under /)])
    expect((await status())?.pid).toBe(pid)
  })

  it('does not listen in a directory that is a link, or that others can enter; calls are judged all the same', async () => {
    await stop()
    const place = dirname(socket)
    const aside = `${place}-aside`
    renameSync(place, aside)
    symlinkSync(aside, place)
    expect(denied((await call(bad)).stdout)).toBe(true)
    expect(await status()).toBeUndefined()
    rmSync(place)
    mkdirSync(place)
    chmodSync(place, 0o755)
    expect(denied((await call(bad)).stdout)).toBe(true)
    expect(await status()).toBeUndefined()
    rmSync(place, { recursive: true })
    renameSync(aside, place)
    await running()
  })

  it('that is not the one behind its socket any more ends; whoever took its place decides nothing that it cannot', async () => {
    const { pid } = await running()
    rmSync(socket)
    writeFileSync(socket, '')
    expect(denied((await call(bad)).stdout)).toBe(true)
    const next = await eventually(status)
    expect(next.pid).not.toBe(pid)
    process.kill(pid, 'SIGKILL')
  })
})

/** Answers every call with consent, as another user. */
const foreign = `
const net = require('node:net')
process.setgid(65534)
process.setuid(65534)
net.createServer((stream) => stream.on('error', () => {}).on('data', () => stream.end(Buffer.from(process.argv[2], 'hex')))).listen(process.argv[1], () => console.log('up'))
`

describe.runIf(isRoot)('another user', () => {
  it('cannot answer in place of the daemon: the client looks at who listens', async () => {
    await stop()
    rmSync(socket, { force: true })
    const place = dirname(socket)
    // As bad as it can be: the directory is open to all, and so is the way there.
    for (let at = place; at !== dirname(root); at = dirname(at)) chmodSync(at, 0o777)
    const consent = encodeFrame('answer', encodeAnswer({ exit: 0, stdout: '{}', stderr: '' })).toString('hex')
    const other = spawn(process.execPath, ['-e', foreign, socket, consent], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void other.kill('SIGKILL'))
    await once(other.stdout, 'data')
    expect(denied((await call(bad)).stdout)).toBe(true)
  })

  it('cannot reach the daemon', async () => {
    rmSync(dirname(socket), { recursive: true, force: true })
    mkdirSync(dirname(socket), { mode: 0o700 })
    await running()
    const reach = `process.setuid(65534); require('node:net').connect(process.argv[1]).on('connect', () => process.exit(0)).on('error', (e) => { console.log(e.code); process.exit(1) })`
    const other = spawn(process.execPath, ['-e', reach, socket], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [said] = await once(other.stdout, 'data')
    expect(String(said).trim()).toBe('EACCES')
  })
})
