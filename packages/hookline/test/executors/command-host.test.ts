import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createCommandExecutor } from '../../src/executors/command/index.ts'
import { builtEntry } from '../../src/platform/index.ts'
import { bundle } from '../support/bundle.ts'
import { missing } from '../support/scratch.ts'
import { ask, direct, temporaryDirectory, throughForkServer, untilForkServer } from './command-support.ts'
import { markName, processesMarked } from './contract.ts'

let host: string
beforeAll(async () => {
  host = await bundle('./command-host.ts', import.meta.url)
  symlinkSync(fileURLToPath(builtEntry('fork-server')), join(dirname(host), 'fork-server.js'))
})

interface Host {
  lines: unknown[]
  survivors(): number[]
  kill(signal: NodeJS.Signals): void
  endStdin(): void
  printed(): Promise<void>
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/** Another process with an executor in it; `prefix` is put before the command line. */
function startHost(act: string, options: object = {}, prefix: string[] = []): Host {
  const mark = randomUUID()
  const line = [...prefix, process.execPath, host, act]
  const argument = JSON.stringify({ env: { [markName]: mark }, ...options })
  const { NODE_OPTIONS: _, NODE_EXTRA_CA_CERTS: __, ...env } = process.env
  const child = spawn(line[0] as string, [...line.slice(1), argument], { stdio: ['pipe', 'pipe', 'inherit'], env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: unknown[] = []
  let text = ''
  child.stdout.on('data', (chunk) => {
    const parts = `${text}${chunk}`.split('\n')
    text = parts.pop() as string
    lines.push(...parts.map((part) => JSON.parse(part)))
  })
  return {
    lines,
    survivors: () => processesMarked(mark),
    kill: (signal) => void child.kill(signal),
    endStdin: () => void child.stdin.end(),
    printed: () => expect.poll(() => lines.length).toBeGreaterThan(0),
    ended: new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal }))),
  }
}

test.skipIf(process.platform !== 'linux').each([false, true])(
  'a hook gets no file that was left open in its host (fork server: %s)',
  async (forkServer) => {
    // Bash leaves 200 open for what it starts, behind a gap that Node does not look beyond.
    const { lines, ended } = startHost('handed', { forkServer }, ['bash', '-c', 'exec 200</etc/hostname; "$@"', 'bash'])
    await ended
    expect(lines).toMatchObject([{ stdout: '/dev/null\n' }])
  },
)

describe('no hook outlives its host', () => {
  test('when the host exits', async () => {
    const running = startHost('last')
    await running.printed()
    expect(running.survivors().length).toBeGreaterThan(0)
    running.endStdin()
    expect(await running.ended).toMatchObject({ code: 0 })
    await expect.poll(running.survivors).toEqual([])
  })

  test('when the host is ended by a signal, which still ends it', async () => {
    const running = startHost('last')
    await running.printed()
    running.kill('SIGINT')
    expect(await running.ended).toMatchObject({ signal: 'SIGINT' })
    await expect.poll(running.survivors).toEqual([])
  })

  test('when the host is killed outright, if the fork server started the hook', async () => {
    const running = startHost('last', { forkServer: true })
    await running.printed()
    expect(running.survivors().length).toBeGreaterThan(0)
    running.kill('SIGKILL')
    await running.ended
    await expect.poll(running.survivors).toEqual([])
  })

  test.each([false, true])('and no idle executor keeps a host alive (fork server: %s)', async (forkServer) => {
    const running = startHost('idle', { forkServer })
    expect(await running.ended).toMatchObject({ code: 0 })
    expect(running.lines).toMatchObject([{ stdout: 'done\n' }])
  })
})

describe('a host without room', () => {
  test('says that it has too many open files, and recovers', async () => {
    const { ended, lines } = startHost('starve', {}, ['/bin/sh', '-c', 'ulimit -n 256; exec "$@"', 'sh'])
    await ended
    expect(lines).toMatchObject([
      { kind: 'spawn', message: expect.stringContaining('open files') },
      { stdout: 'recovered\n' },
    ])
  })

  const isRoot = process.getuid?.() === 0 && process.platform === 'linux'

  test.runIf(isRoot)(
    'says that a directory may not be entered, and that no more processes can be started',
    async () => {
      const workingDir = temporaryDirectory()
      chmodSync(workingDir, 0o000)
      const { ended, lines } = startHost('crowd', { workingDir })
      await ended
      expect(lines).toMatchObject([
        { kind: 'spawn', message: expect.stringContaining(workingDir) },
        { kind: 'spawn', message: expect.stringContaining('processes') },
      ])
    },
  )
})

describe('the fork server', () => {
  test('is replaced when it is lost, and what it ran is ended', async () => {
    const mark = randomUUID()
    const executor = createCommandExecutor({ forkServerAbove: 0 })
    onTestFinished(() => executor.close?.())
    const server = await untilForkServer(executor)
    const running = ask(executor, { command: 'sleep 300' }, { env: { [markName]: mark }, timeoutMs: 20_000 })
    await expect.poll(() => processesMarked(mark).length).toBeGreaterThan(0)
    process.kill(server, 'SIGKILL')
    expect((await running).failure).toMatchObject({ kind: 'spawn' })
    await expect.poll(() => processesMarked(mark)).toEqual([])
    expect((await ask(executor, { command: 'echo meanwhile' })).reply?.stdout).toBe('meanwhile\n')
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(await untilForkServer(executor)).not.toBe(server)
  })

  test('reports leaks, floods and failures like the host itself', async () => {
    const executor = throughForkServer()
    onTestFinished(() => executor.close?.())
    const leaking = await ask(executor, { command: 'setsid sleep 300 & sleep 0.1; echo "{}"' })
    expect(leaking.reply?.stdout).toBe('{}\n')
    expect(leaking.call.notes.map((note) => note.code)).toEqual(['hook-leaked'])
    expect((await ask(executor, { command: 'yes' })).failure).toMatchObject({ kind: 'output-limit' })
    expect((await ask(executor, { command: 'nowhere-to-be-found', args: [] })).failure?.message).toContain(
      'not found on PATH',
    )
    expect((await ask(executor, { command: 'true', args: ['x'.repeat(200_000)] })).failure?.message).toContain(
      'too large',
    )
  })
})

test.runIf(process.platform === 'linux')('hundreds of runs leave no file, process or zombie behind', async () => {
  const executor = direct()
  const count = () => ({ files: readdirSync('/proc/self/fd').length, listeners: process.listenerCount('exit') })
  await ask(executor, { command: 'echo warm' })
  const before = count()
  const mark = randomUUID()
  const commands = ['echo "{}"', 'exit 2', 'sleep 9 & echo "{}"', missing('x'), 'kill -9 $$']
  for (let round = 0; round < 15; round++)
    await Promise.all(commands.map((command) => ask(executor, { command }, { env: { [markName]: mark } })))
  await ask(executor, { command: 'nowhere-to-be-found', args: [] })
  await expect.poll(count).toEqual(before)
  expect(processesMarked(mark)).toEqual([])
})
