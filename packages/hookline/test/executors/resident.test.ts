import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Executor, HookFailure, WireReply } from '../../src/core/index.ts'
import { createResidentExecutor, type ResidentSpec } from '../../src/executors/resident/index.ts'
import { answerOf, type CallOptions, makeCall, type ObservedCall } from '../support/call.ts'
import { missing } from '../support/scratch.ts'
import { soon } from '../support/soon.ts'
import { executorContract, markName, processesMarked } from './contract.ts'

const fixture = fileURLToPath(new URL('./resident-fixture.mjs', import.meta.url))
const behaving = (...args: string[]): ResidentSpec => ({
  command: process.execPath,
  args: [fixture, ...args],
  clean_env: true,
})

executorContract<ResidentSpec>('resident', {
  make: createResidentExecutor,
  answers: ({ stdout = '' }) =>
    behaving(...(stdout.startsWith('{') || stdout === '' ? ['answer', stdout] : ['text', stdout])),
  hangs: () => behaving('stubborn'),
  floods: (bytes) => behaving('flood', String(bytes)),
  crashes: () => behaving('crash'),
  echoesPayload: () => behaving('echo'),
  cannot: { 'deny-by-exit': 'a process that lives on has no exit code' },
})

function open(): Executor<ResidentSpec> {
  const executor = createResidentExecutor()
  onTestFinished(() => executor.close?.())
  return executor
}

interface Seen {
  reply?: WireReply
  failure?: HookFailure
  call: ObservedCall
}

async function ask(executor: Executor<ResidentSpec>, spec: ResidentSpec, options: CallOptions = {}): Promise<Seen> {
  const call = makeCall({ type: 'resident', ...spec }, { timeoutMs: 10_000, ...options })
  return answerOf(executor, spec, call).then(
    (reply) => ({ reply: reply as WireReply, call }),
    (failure) => ({ failure: failure as HookFailure, call }),
  )
}

/** Asks the fixture to do something. */
const act = (executor: Executor<ResidentSpec>, name: string, value: unknown = '', options: CallOptions = {}) =>
  ask(executor, behaving(), { payload: { tool_input: { act: name, value } }, ...options })

describe('one process serves many calls', () => {
  test('it is started once and shared', async () => {
    const executor = open()
    const replies = await Promise.all(Array.from({ length: 20 }, () => act(executor, 'pid')))
    expect(new Set(replies.map(({ reply }) => reply?.stdout)).size).toBe(1)
  })

  test('hooks with another environment, directory or depth have their own', async () => {
    const executor = open()
    const pid = async (options: CallOptions) => (await act(executor, 'pid', '', options)).reply?.stdout
    const pids = [
      await pid({}),
      await pid({ env: { A: '1' } }),
      await pid({ env: { A: '2' } }),
      await pid({ workingDir: '/' }),
    ]
    expect(new Set(pids).size).toBe(4)
    expect(await pid({ env: { A: '1' } })).toBe(pids[1])
    expect((await act(executor, 'depth')).reply?.stdout).toBe('1')
  })

  test('a slow call does not hold up a fast one', async () => {
    const executor = open()
    await act(executor, 'pid')
    const slow = act(executor, 'slow', 1_000).then(() => 'slow')
    const fast = act(executor, 'pid').then(() => 'fast')
    expect(await Promise.race([slow, fast])).toBe('fast')
    await slow
  })

  test('no more questions at once than it takes', async () => {
    const executor = open()
    const spec = { ...behaving(), max_in_flight: 1 }
    const payload = { tool_input: { act: 'slow', value: 100 } }
    const started = performance.now()
    await Promise.all(Array.from({ length: 4 }, () => ask(executor, spec, { payload })))
    expect(performance.now() - started).toBeGreaterThan(390)
  })

  test('processes that nobody uses any more are ended when there are many', async () => {
    const executor = open()
    const mark = randomUUID()
    const command = `exec perl -ne '$| = 1; /"id":(\\d+)/ and print qq({"id":$1,"result":"ok"}\\n)'`
    for (let index = 0; index < 20; index++) {
      const { reply } = await ask(executor, { command }, { env: { [markName]: mark, INDEX: String(index) } })
      expect(reply?.stdout).toBe('ok')
    }
    await expect.poll(() => processesMarked(mark).length).toBeLessThanOrEqual(16)
  })
})

describe('replies are read with care', () => {
  test('a result arrives as a command would have printed it', async () => {
    const executor = open()
    expect((await act(executor, 'answer', '{"decision":"deny","reason":"no"}')).reply).toEqual({
      kind: 'wire',
      exit: 0,
      stdout: '{"decision":"deny","reason":"no"}',
      stderr: '',
    })
    expect((await act(executor, 'raw', '{"jsonrpc":"2.0","id":ID,"result":null}\n')).reply?.stdout).toBe('')
    const exact = '{"id":ID,"result":{"n":12345678901234567890}}\n'
    expect((await act(executor, 'raw', exact)).reply?.stdout).toBe('{"n":12345678901234567890}')
  })

  test('an error is a failure with the same message', async () => {
    const { failure } = await act(open(), 'error', 'no database')
    expect(failure).toMatchObject({ kind: 'exit' })
    expect(failure?.message).toContain('no database')
  })

  test('a reply that can be read in two ways is refused', async () => {
    const executor = open()
    const twice = '{"id":ID,"result":{"decision":"deny","decision":"allow"}}\n'
    expect((await act(executor, 'raw', twice)).failure).toMatchObject({ kind: 'invalid-output' })
    const polluting = '{"id":ID,"result":{"__proto__":{"decision":"allow"}}}\n'
    expect((await act(executor, 'raw', polluting)).failure).toMatchObject({ kind: 'invalid-output' })
  })

  test('output between replies is noted and ignored', async () => {
    const { reply, call } = await act(open(), 'noise', 'debug: thinking…')
    expect(JSON.parse(reply?.stdout ?? '')).toMatchObject({ decision: 'deny' })
    expect(call.notes).toMatchObject([{ code: 'resident-noise', message: expect.stringContaining('debug: thinking') }])
  })

  test('a request or a reply to nobody is no reply', async () => {
    const executor = open()
    const lines =
      '{"id":ID,"method":"hooks/intercept"}\n{"id":987654,"result":{"decision":"allow"}}\n{"id":ID,"result":"mine"}\n'
    expect((await act(executor, 'raw', lines)).reply?.stdout).toBe('mine')
  })

  test('a line without end is bounded', async () => {
    const executor = open()
    expect((await act(executor, 'endless')).failure).toMatchObject({ kind: 'output-limit' })
    expect((await act(executor, 'pid')).reply?.stdout).toMatch(/^\d+$/)
  })

  test('a call keeps its own limit beside others', async () => {
    const executor = open()
    const wide = act(executor, 'slow', 300)
    expect((await act(executor, 'flood', 100_000, { outputLimit: 10_000 })).failure).toMatchObject({
      kind: 'output-limit',
    })
    expect((await wide).reply?.stdout).toMatch(/^\d+$/)
  })
})

describe('what crashes is started again', () => {
  test('calls in flight fail with the reason, and the next is answered', async () => {
    const executor = open()
    const first = (await act(executor, 'pid')).reply?.stdout
    const [bystander, culprit] = await Promise.all([act(executor, 'never'), act(executor, 'exit', 3)])
    expect(culprit.failure).toMatchObject({ kind: 'exit' })
    expect(culprit.failure?.message).toContain('exit 3')
    expect(culprit.failure?.message).toContain('it was too much')
    expect(bystander.failure).toMatchObject({ kind: 'exit' })
    const second = (await act(executor, 'pid')).reply?.stdout
    expect(second).toMatch(/^\d+$/)
    expect(second).not.toBe(first)
  })

  test('death by signal is named', async () => {
    const { failure } = await act(open(), 'crash')
    expect(failure).toMatchObject({ kind: 'signal' })
    expect(failure?.message).toContain('SIGSEGV')
  })

  test('one that dies while idle is replaced without a failure', async () => {
    const executor = open()
    const first = Number((await act(executor, 'pid')).reply?.stdout)
    process.kill(first, 'SIGKILL')
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect((await act(executor, 'pid')).reply?.stdout).not.toBe(String(first))
  })

  test('one that never comes up is tried later and later', async () => {
    const executor = open()
    const spec = { command: 'echo started >&2; exit 1' }
    const started = performance.now()
    for (let round = 0; round < 4; round++)
      expect((await ask(executor, spec)).failure).toMatchObject({
        kind: 'exit',
        message: expect.stringContaining('started'),
      })
    expect(performance.now() - started).toBeGreaterThan(100 + 200 + 400 - 10)
  })

  test('one that cannot be started says why', async () => {
    const command = missing('resident')
    const { failure } = await ask(open(), { command, args: [] })
    expect(failure).toMatchObject({ kind: 'spawn' })
    expect(failure?.message).toContain(`${command} does not exist`)
  })
})

describe('a process that wedges', () => {
  test('keeps no deadline from being kept, and is replaced', async () => {
    const executor = open()
    const first = (await act(executor, 'pid')).reply?.stdout
    const started = performance.now()
    expect((await act(executor, 'wedge', '', { timeoutMs: 300 })).failure).toMatchObject({ kind: 'aborted' })
    expect(performance.now() - started).toBeLessThan(soon)
    const second = await act(executor, 'pid')
    expect(second.reply?.stdout).toMatch(/^\d+$/)
    expect(second.reply?.stdout).not.toBe(first)
  })

  test('is kept if it answers other calls', async () => {
    const executor = open()
    const first = (await act(executor, 'pid')).reply?.stdout
    const late = act(executor, 'slow', 600)
    expect((await act(executor, 'never', '', { timeoutMs: 300 })).failure).toMatchObject({ kind: 'aborted' })
    expect((await late).reply?.stdout).toBe(first)
    expect((await act(executor, 'pid')).reply?.stdout).toBe(first)
  })

  test('is kept if it answers the ping', async () => {
    const executor = open()
    const options = { env: { PONGS: '1' } }
    const first = (await act(executor, 'pid', '', options)).reply?.stdout
    await act(executor, 'never', '', { ...options, timeoutMs: 300 })
    expect((await act(executor, 'pid', '', options)).reply?.stdout).toBe(first)
  })

  test('a late answer is nobody’s', async () => {
    const executor = open()
    const options = { env: { PONGS: '1' } }
    await act(executor, 'pid', '', options)
    expect((await act(executor, 'slow', 500, { ...options, timeoutMs: 200 })).failure).toMatchObject({
      kind: 'aborted',
    })
    const replies = await Promise.all([act(executor, 'text', 'a', options), act(executor, 'text', 'b', options)])
    expect(replies.map(({ reply }) => reply?.stdout)).toEqual(['a', 'b'])
  })
})

test('scalars of one call do not stay in the environment of the process', async () => {
  const options = { requestEnv: { HOOKLINE_TOOL_NAME: 'shell' }, env: { MINE: 'yes' } }
  const executor = open()
  expect((await act(executor, 'env', 'HOOKLINE_TOOL_NAME', options)).reply?.stdout).toBe('')
  expect((await act(executor, 'env', 'MINE', options)).reply?.stdout).toBe('yes')
})

describe('the examples guard', () => {
  const examples = fileURLToPath(new URL('../../../../examples/resident', import.meta.url))
  const dangerous = ['rm -rf /', 'sudo rm -fr build', 'cd /tmp && rm -r --force x', 'ls; rm --recursive -f x']
  const harmless = ['rm file.txt', 'rm -r build', 'echo rm', 'git commit -m "form -rf"', '']
  test.each(['no-rm-rf.mjs', 'no_rm_rf.py'])('%s', async (name) => {
    const executor = open()
    const spec = { command: `./${name}` }
    const judge = async (command: string) => {
      const options = {
        workingDir: examples,
        payload: { tool_input: { command } },
        env: { PYTHONDONTWRITEBYTECODE: '1' },
      }
      const { reply, failure } = await ask(executor, spec, options)
      expect(failure).toBeUndefined()
      return reply?.stdout === '' ? undefined : JSON.parse(reply?.stdout ?? '').decision
    }
    for (const command of dangerous) expect([command, await judge(command)]).toEqual([command, 'deny'])
    for (const command of harmless) expect([command, await judge(command)]).toEqual([command, undefined])
  })

  test('their few lines are a few', () => {
    for (const name of ['hookline-resident.mjs', 'hookline_resident.py'])
      expect(readFileSync(`${examples}/${name}`, 'utf8').split('\n').length).toBeLessThan(40)
  })
})
