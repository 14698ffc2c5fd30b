import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { missing } from '../../hookline/test/support/scratch.ts'
import { bench } from './tools-support.ts'

const shell = (env: Record<string, string> = {}, more: object = {}) =>
  bench([{ type: 'shell', ...more }], {}, { env: { PATH: process.env['PATH'], HOME: missing(), ...env } })

/** Processes that were started in this directory, by anyone. */
function runningIn(cwd: string): string[] {
  return readdirSync('/proc').filter((entry) => {
    try {
      return /^\d+$/.test(entry) && readlinkSync(`/proc/${entry}/cwd`) === cwd
    } catch {
      return false
    }
  })
}

async function untilQuiet(cwd: string): Promise<string[]> {
  for (let round = 0; round < 200 && runningIn(cwd).length > 0; round++) await delay(50)
  return runningIn(cwd)
}

describe('a command', () => {
  it('runs in the workspace; the result has both outputs and the exit code', async () => {
    const { call, cwd } = await shell()
    expect((await call('shell', { command: 'pwd' })).content).toBe(cwd)
    expect(await call('shell', { command: 'echo out; echo err >&2; exit 3' })).toEqual({
      content: expect.stringMatching(/^(out\nerr|err\nout)\n\(Exit code 3\.\)$/),
      error: true,
    })
    expect(await call('shell', { command: 'true' })).toEqual({ content: '(no output)' })
  })

  it('goes by docker-agent’s name of the argument too', async () => {
    const { call, parse } = await shell()
    expect((await call('shell', { cmd: 'echo hi' })).content).toBe('hi')
    expect(parse('shell', { cmd: 'a', command: 'b' })).toMatch(/are the same argument, and they differ/)
    expect(parse('shell', { command: '  ' })).toMatch(/`command` must not be blank/)
  })

  it('runs in a directory of the workspace, and in no other', async () => {
    const { call, cwd } = await shell()
    await call('shell', { command: 'mkdir sub' })
    expect((await call('shell', { command: 'pwd', cwd: 'sub' })).content).toBe(join(cwd, 'sub'))
    expect(await call('shell', { command: 'pwd', cwd: '/' })).toMatchObject({ error: true })
    expect(await call('shell', { command: 'pwd', cwd: 'nope' })).toMatchObject({ error: true })
  })

  it('its output is whole, so that the file in which a long result is put aside has all of it', async () => {
    const { call } = await shell()
    const { content } = await call('shell', { command: 'seq 1 100000' })
    expect(content.split('\n')).toHaveLength(100_000)
  })

  it('what is more than can be kept is left out in the middle, and the end of the result says so', async () => {
    const { call } = await shell()
    const { content } = await call('shell', { command: 'head -c 20000000 /dev/zero | tr "\\0" x; echo; echo end' })
    expect(content.length).toBeLessThan(17 * 1024 * 1024)
    expect(content.slice(-200)).toMatch(/end\n\(Only 16\.0 MiB of 19\.1 MiB were kept: .*\)$/)
  })

  it('is shown while it runs', async () => {
    const { call } = await shell()
    const seen: string[] = []
    await call('shell', { command: 'echo one; sleep 0.1; echo two' }, { progress: (text) => seen.push(text) })
    expect(seen.join('')).toBe('one\ntwo\n')
    expect(seen.length).toBeGreaterThan(1)
  })

  it('has no input and no terminal to wait for', async () => {
    const { call } = await shell()
    expect((await call('shell', { command: 'cat; read x; echo done' })).content).toBe('done')
    expect((await call('shell', { command: 'tty' })).content).toMatch(/not a tty/)
  })

  it('gets the environment without the keys of models, and what the toolset names', async () => {
    const keys = { OPENAI_API_KEY: 'sk-secret', MY_KEY: 'mine', TELEGRAM_BOT_TOKEN: 't', GITHUB_TOKEN: 'gh' }
    const options = { env: { PATH: process.env['PATH'], ...keys }, secrets: ['MY_KEY'] }
    const { call } = await bench([{ type: 'shell', env: { NAMED: 'x-$MY_KEY' } }], {}, options)
    const { content } = await call('shell', { command: 'env' })
    expect(content).not.toMatch(/sk-secret|MY_KEY=|TELEGRAM/)
    expect(content).toMatch(/GITHUB_TOKEN=gh/)
    expect(content).toMatch(/NAMED=x-mine/)
  })

  it('only reads when the guard is certain of it', async () => {
    const { readOnly } = await shell()
    expect(readOnly('shell', { command: 'git status && ls -l' })).toBe(true)
    expect(readOnly('shell', { command: 'git status && touch x' })).toBe(false)
    expect(readOnly('shell', { command: 'make' })).toBe(false)
    expect(readOnly('shell', { command: 'cat ~/.ssh/id_rsa' })).toBe(false)
  })

  it('that the system cannot start is an error result', async () => {
    const { call } = await shell()
    expect(await call('shell', { command: `echo ${'x'.repeat(300_000)}` })).toMatchObject({
      error: true,
      content: expect.stringMatching(/could not be started/),
    })
  })
})

describe('an end', () => {
  it('comes with the time-out, for the whole group', async () => {
    const { call, cwd } = await shell()
    const result = await call('shell', { command: 'echo begun; sleep 60 & (trap "" TERM; sleep 61); wait', timeout: 1 })
    expect(result).toMatchObject({ error: true })
    expect(result.content).toBe('begun\n(Stopped after 1 seconds. Set `timeout` if it needs longer.)')
    expect(await untilQuiet(cwd)).toEqual([])
  })

  it('comes when it is canceled, and nothing is left', async () => {
    const { call, cwd } = await shell()
    const stop = new AbortController()
    const running = call(
      'shell',
      { command: 'touch begun; sleep 60 & setsid sleep 61 & sleep 62' },
      { signal: stop.signal },
    )
    for (let round = 0; round < 100 && !existsSync(join(cwd, 'begun')); round++) await delay(20)
    await delay(100)
    stop.abort(new Error('canceled'))
    expect(await running).toEqual({ content: 'canceled', error: true })
    expect(await untilQuiet(cwd)).toEqual([])
  })

  it('does not wait for what was left behind with the output in its hands', async () => {
    const { call, cwd } = await shell()
    const result = await call('shell', { command: 'sleep 60 & echo started' })
    expect(result.content).toBe(
      'started\n(Still running when the command was over, and ended: sleep. Use run_background_job for what should go on.)',
    )
    expect(await untilQuiet(cwd)).toEqual([])
  })

  it('an output without end is cut, not the memory filled', async () => {
    const { call } = await shell()
    let shown = 0
    const progress = (text: string) => {
      shown += text.length
    }
    const { content } = await call('shell', { command: 'yes "some words" | head -c 50000000; echo last' }, { progress })
    expect(content.length).toBeLessThan(17 * 1024 * 1024)
    expect(content.slice(0, 20)).toMatch(/^some words\n/)
    expect(content.includes('(… 31.7 MiB left out …)')).toBe(true)
    expect(content.slice(-100)).toMatch(/last\n\(Only 16\.0 MiB of 47\.7 MiB were kept/)
    expect(shown).toBeLessThan(1_000_000)
  })

  it('characters are not torn', async () => {
    const { call } = await shell()
    const { content } = await call('shell', { command: String.raw`printf '\xc3'; sleep 0.1; printf '\xa9'` })
    expect(content).toBe('é')
  })
})

describe('background jobs', () => {
  it('go on, are seen and stopped, and end with the session', async () => {
    const { call, cwd, close } = await shell()
    expect((await call('list_background_jobs', {})).content).toMatch(/no background jobs/)
    expect((await call('run_background_job', { cmd: 'echo ready; sleep 60' })).content).toMatch(/job_1/)
    await call('run_background_job', { command: 'echo $((6 * 7)); exit 4' })
    await call('run_background_job', { command: '(trap "" TERM; sleep 62)' })
    await expect
      .poll(async () => (await call('view_background_job', { job_id: 'job_1' })).content)
      .toMatch(/running.*\nready/)
    await expect
      .poll(async () => (await call('view_background_job', { job_id: 'job_2' })).content)
      .toMatch(/ended with exit code 4.*\n42/)
    expect((await call('stop_background_job', { job_id: 'job_1' })).content).toBe('Stopped job_1.')
    expect((await call('list_background_jobs', {})).content.split('\n')).toHaveLength(3)
    expect(await call('view_background_job', { job_id: 'job_9' })).toMatchObject({ error: true })
    await close()
    expect(await untilQuiet(cwd)).toEqual([])
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)('end with the program that started them when %s ends it', async (signal) => {
    const { cwd } = await shell()
    const jiti = join(import.meta.dirname, '../../../node_modules/jiti/lib/jiti-cli.mjs')
    const host = spawn(process.execPath, [jiti, join(import.meta.dirname, 'tools-host.ts')], { cwd, stdio: 'ignore' })
    const ended = once(host, 'exit')
    await expect.poll(() => existsSync(join(cwd, 'begun'))).toBe(true)
    host.kill(signal)
    expect(await ended).toEqual([null, signal])
    expect(await untilQuiet(cwd)).toEqual([])
  })
})

describe('scripts of the agent file', () => {
  it('are tools with arguments', async () => {
    const greet = {
      cmd: 'echo "Hello $name, $greeting $EXTRA" | tee out.txt',
      description: 'Greets.',
      args: { name: { description: 'Who.' }, greeting: { type: 'string' } },
      required: ['name'],
      env: { EXTRA: '$WHO' },
    }
    const options = { env: { PATH: process.env['PATH'], WHO: 'me' } }
    const { call, cwd, parse } = await bench([{ type: 'script', shell: { greet } }], {}, options)
    expect((await call('greet', { name: '$(touch evil)' })).content).toBe('Hello $(touch evil),  me')
    expect(readFileSync(join(cwd, 'out.txt'), 'utf8')).toMatch(/^Hello/)
    expect(existsSync(join(cwd, 'evil'))).toBe(false)
    expect(parse('greet', {})).toMatch(/`name` is missing/)
    expect(parse('greet', { name: 'x', LD_PRELOAD: 'y' })).toMatch(/not known here/)
  })
})
