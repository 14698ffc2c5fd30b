import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventNamed } from '../../src/core/index.ts'
import { ourDialects } from '../../src/dialects/index.ts'
import { dialectOfHost, triedHosts } from '../../src/hosts/index.ts'
import { makeToken } from '../../src/trust/index.ts'
import { agentCall, agentHome, eventually, shellCall } from '../support/agent-calls.ts'
import { hookline } from '../support/cli.ts'
import { terminal } from '../support/terminal.ts'

const { root, project, env, entry, status, stop, inside } = agentHome()
const denied = (stdout: string) => stdout.includes('"deny"')
const rule = (command: string) => `version: 1\nrules:\n  - deny: { run: ${command} }\n`

function directory(name: string, config?: string): string {
  const place = join(root, name)
  mkdirSync(place, { recursive: true })
  if (config !== undefined) writeFileSync(join(place, 'hookline.yaml'), config)
  return place
}

const call = (command: string, cwd: string, more: Record<string, string> = {}) =>
  agentCall(entry, shellCall(command, cwd), { cwd, env: { ...env, ...more }, wrapped: true })

describe('the daemon', () => {
  it('starts with the first call, once for all who call at the same time, and loses no call', async () => {
    const cwd = directory('many', rule('git push --force'))
    const calls = await Promise.all(
      Array.from({ length: 20 }, (_, at) => call(at % 2 === 0 ? 'git push --force' : 'ls', cwd)),
    )
    expect(calls.map(({ exit, stdout }) => [exit, denied(stdout)])).toEqual(calls.map((_, at) => [0, at % 2 === 0]))
    const running = await status()
    expect(running?.projects.map((each) => each.cwd)).toContain(cwd)
    await call('ls', cwd)
    expect((await status())?.pid).toBe(running?.pid)
  })

  it('answers as a process of its own does, byte for byte, for recorded calls of every agent', async () => {
    const cwd = directory('same', `${rule('echo')}use: [security]\n`)
    for (const host of triedHosts) {
      const file = join(import.meta.dirname, '../hosts/recordings', `${host}.jsonl`)
      const { events, event: codec } = await dialectOfHost(host, ourDialects)
      const recorded = readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      const { payload } = recorded.find((each) => eventNamed({ events } as never, each.event) === 'pre_tool_use')
      expect(codec.decode(payload, 'pre_tool_use').ok, host).toBe(true)
      const input = JSON.stringify({ ...payload, session_id: `${host}-1`, sessionId: `${host}-1` })
      const other = input.replaceAll(`${host}-1`, `${host}-2`)
      const own = await hookline(['dispatch', '--host', host, '--event', 'pre_tool_use'], input, { cwd, env })
      const daemons = await agentCall(entry, other, { host, cwd, env })
      expect({ ...daemons }, host).toEqual({ exit: own.exit, stdout: own.stdout, stderr: own.stderr })
    }
    expect((await status())?.calls.declined).toBe(0)
  })

  it('a changed file holds for the next call, a broken one refuses, and a new one counts', async () => {
    const cwd = directory('reload')
    const answer = async () => denied((await call('npm publish', cwd)).stdout)
    expect(await answer()).toBe(false)
    writeFileSync(join(cwd, 'hookline.yaml'), rule('npm publish'))
    expect(await answer()).toBe(true)
    writeFileSync(join(cwd, 'hookline.yaml'), rule('npm install'))
    expect(await answer()).toBe(false)
    writeFileSync(join(cwd, 'hookline.yaml'), 'version: 1\nrules: 3\n')
    expect(await answer()).toBe(true)
    writeFileSync(join(cwd, 'hookline.yaml'), rule('npm install'))
    expect(await answer()).toBe(false)
  })

  it('each call has its own variables, directory and umask', async () => {
    const script = 'printf %s "{\\"context\\":\\"$WHO in $(pwd -P) with $(umask)\\"}"'
    const config = `version: 1\nhooks:\n  - id: who\n    event: pre_tool_use\n    run: { type: command, command: ${JSON.stringify(script)} }\n`
    const places = ['one', 'two'].map((name) => directory(name, config))
    const HOOKLINE_APPROVE_TOKEN = inside(() => makeToken(join(env['XDG_STATE_HOME']!, 'hookline')))
    for (const cwd of places) {
      const approved = await hookline(['approve', '--all', '--yes'], '', {
        cwd,
        env: { ...env, HOOKLINE_APPROVE_TOKEN },
      })
      expect(approved.exit, approved.stdout + approved.stderr).toBe(0)
    }
    const before = process.umask(0o027)
    try {
      const said = await Promise.all(
        [0, 1, 2, 3].map(async (at) => (await call('ls', places[at % 2]!, { WHO: `caller ${at}` })).stdout),
      )
      for (const [at, stdout] of said.entries()) expect(stdout).toContain(`caller ${at} in ${places[at % 2]} with 0027`)
    } finally {
      process.umask(before)
    }
  })

  it('one that is stopped or killed lets nothing pass, and the next calls find another', async () => {
    const cwd = directory('wedged', rule('git push --force'))
    await call('ls', cwd)
    const wedged = (await status())!
    process.kill(wedged.pid, 'SIGSTOP')
    expect(denied((await call('git push --force', cwd)).stdout)).toBe(true)
    const next = await eventually(status)
    expect(next.pid).not.toBe(wedged.pid)
    process.kill(wedged.pid, 'SIGCONT')
    await eventually(async () => !isThere(wedged.pid))
    expect((await status())?.pid).toBe(next.pid)
    process.kill(next.pid, 'SIGKILL')
    expect(denied((await call('git push --force', cwd)).stdout)).toBe(true)
  })

  it('an engine that was installed since takes the place of an older daemon, which ends', async () => {
    const cwd = directory('upgrade', rule('git push --force'))
    await call('ls', cwd)
    const old = await status()
    const table = `${entry}.table`
    const text = readFileSync(table, 'utf8')
    const engine = dirname(dirname(/^program (.*)$/m.exec(text)![1]!))
    cpSync(engine, `${engine}-next`, { recursive: true })
    writeFileSync(table, text.replaceAll(old!.engine, `${old!.engine}-next`))
    const answers = await Promise.all([1, 2, 3].map(() => call('git push --force', cwd)))
    expect(answers.map(({ stdout }) => denied(stdout))).toEqual([true, true, true])
    const next = await eventually(async () => {
      const found = await status()
      return found?.engine.endsWith('-next') && found
    })
    expect(next.pid).not.toBe(old?.pid)
    await eventually(async () => !isThere(old!.pid))
    writeFileSync(table, text)
  })

  it('says what it does, and ends when told', async () => {
    await call('ls', project)
    const shown = await hookline(['daemon', 'status'], '', { env })
    expect(shown.stdout).toMatch(/^process +\d+, \d+ MB, since /)
    // At a terminal of its own: whoever runs the tests may be an agent, and those may not.
    expect((await terminal(['daemon', 'stop'], { env }).ended()).exit).toBe(0)
    await eventually(async () => (await status()) === undefined)
    expect((await hookline(['daemon', 'status', '--json'], '', { env })).stdout).toBe('null\n')
    expect((await hookline(['daemon', 'logs'], '', { env })).stdout).toMatch(/ ended\n$/)
    await stop()
  })

  it('keeps its socket in a directory of its user alone, and nothing else', async () => {
    const place = join(env['XDG_DATA_HOME']!, 'hookline/run')
    expect(readdirSync(place).every((name) => name.startsWith('daemon.sock'))).toBe(true)
  })
})

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] !== 'Z'
  } catch {
    return false
  }
}
