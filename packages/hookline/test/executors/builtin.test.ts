import { existsSync, mkdtempSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import {
  type Builtin,
  type BuiltinKit,
  defineBuiltin,
  type EventName,
  type Layer,
  memoryState,
} from '../../src/core/index.ts'
import { type BuiltinOptions, type BuiltinSpec, createBuiltinExecutor } from '../../src/executors/builtin.ts'
import { fileState } from '../../src/executors/index.ts'
import { answerOf, makeCall } from '../support/call.ts'
import { missing, remove, scratch } from '../support/scratch.ts'
import { soon } from '../support/soon.ts'
import { executorContract } from './contract.ts'

const directory = mkdtempSync(join(tmpdir(), 'hookline-builtin-'))
afterAll(() => remove(directory))

/** A builtin that does what its args say. */
const puppet = defineBuiltin({
  name: 'puppet',
  doc: 'For tests.',
  events: ['pre_tool_use'],
  args: z.strictObject({ say: z.optional(z.string()), hang: z.optional(z.boolean()), crash: z.optional(z.boolean()) }),
  async answer(_event, { say, hang, crash }, kit) {
    if (crash) throw new Error('broken')
    if (hang) await kit.exec('sleep', ['30'])
    const { decision, reason = '' } = JSON.parse(say || '{}')
    return decision === undefined ? undefined : { decision: { ruling: decision, reason } }
  },
  examples: [],
}) as unknown as Builtin

const noWire = 'its answer is an opinion and never crosses a wire'
executorContract<BuiltinSpec>('builtin', {
  make: () => createBuiltinExecutor({ builtins: { puppet }, dataDir: directory }),
  answers: ({ stdout = '' }) => ({ name: 'puppet', args: { say: stdout } }),
  hangs: () => ({ name: 'puppet', args: { hang: true } }),
  crashes: () => ({ name: 'puppet', args: { crash: true } }),
  cannot: {
    'deny-by-exit': noWire,
    plain: noWire,
    payload: 'it is given the event itself',
    'output-limit': noWire,
  },
})

/** Runs a function as a builtin, to look at its kit. */
async function withKit<T>(look: (kit: BuiltinKit) => T | Promise<T>, options: BuiltinOptions & { layer?: Layer } = {}) {
  let seen: T | undefined
  const builtin = {
    ...puppet,
    name: 'looker',
    args: z.unknown(),
    answer: async (_: unknown, __: unknown, kit: BuiltinKit) => {
      seen = await look(kit)
    },
  } as unknown as Builtin
  const executor = createBuiltinExecutor({
    dataDir: join(directory, 'data'),
    ...options,
    builtins: { looker: builtin },
  })
  const call = makeCall(
    { type: 'builtin' },
    { payload: { session_id: 's', cwd: directory, tool_name: 't', tool_input: {} } },
  )
  call.hook.origin = { layer: options.layer ?? 'user' }
  await executor.run({ name: 'looker' }, call)
  await executor.close?.()
  return seen as T
}

describe('what a builtin may use', () => {
  test('a program runs without a shell, with its input, and its output is bounded', async () => {
    const { echoed, counted, flood, missing, failed } = await withKit(async (kit) => ({
      echoed: await kit.exec('printf', ['%s', '$(date) && x']),
      counted: await kit.exec('wc', ['-c'], { input: 'four' }),
      flood: await kit.exec('sh', ['-c', 'while :; do echo flood; done'], { outputLimit: 1_000 }),
      missing: await kit.exec('no-such-program-anywhere', []),
      failed: await kit.exec('sh', ['-c', 'echo no >&2; exit 3']),
    }))
    expect(echoed).toMatchObject({ exit: 0, stdout: '$(date) && x' })
    expect(counted?.stdout.trim()).toBe('4')
    expect(flood).toMatchObject({ truncated: true })
    expect(flood?.stdout).toHaveLength(1_000)
    expect(missing).toBeUndefined()
    expect(failed).toMatchObject({ exit: 3, stderr: 'no\n' })
  })

  test('a program that leaves a child behind does not hold the builtin up', async () => {
    const started = performance.now()
    await withKit((kit) => kit.exec('sh', ['-c', 'sleep 30 & echo done']))
    expect(performance.now() - started).toBeLessThan(soon)
  })

  test('files are read with a limit, written privately, and links are resolved even where nothing is yet', async () => {
    writeFileSync(join(directory, 'long.txt'), 'é'.repeat(100))
    const target = realpathSync(scratch())
    symlinkSync(target, join(directory, 'link'))
    const path = join(directory, 'deep', 'er', 'note.txt')
    const seen = await withKit(async (kit) => {
      await kit.write(path, 'one')
      await kit.append(path, 'two')
      return {
        cut: await kit.read(join(directory, 'long.txt'), 5),
        none: await kit.read(join(directory, 'none.txt')),
        folder: await kit.read(directory),
        real: await kit.realpath(join(directory, 'link', 'not', 'there')),
        kinds: [await kit.kind(path), await kit.kind(directory), await kit.kind(missing())],
      }
    })
    expect(seen).toEqual({
      cut: 'éé',
      none: undefined,
      folder: undefined,
      real: join(target, 'not', 'there'),
      kinds: ['file', 'directory', undefined],
    })
    expect(readFileSync(path, 'utf8')).toBe('onetwo')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('a request goes only to an allowed server', async () => {
    const bodies: string[] = []
    const server = createServer((request, response) => {
      request.on('data', (chunk) => bodies.push(String(chunk)))
      request.on('end', () => response.end('thanks'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const answer = await withKit((kit) => kit.request({ url, body: '{"a":1}', allowLocal: true }))
    expect(answer).toEqual({ status: 200, body: 'thanks' })
    await expect(withKit((kit) => kit.request({ url, body: 'secret' }))).rejects.toMatchObject({ kind: 'ssrf' })
    expect(bodies).toEqual(['{"a":1}'])
    server.close()
  })

  test.each([false, true])('what it remembers is changed one at a time (in files: %s)', async (inFiles) => {
    const sessions = join(directory, 'sessions')
    const options = () => ({ state: inFiles ? fileState(sessions) : memoryState() })
    const total = await withKit(async (kit) => {
      await Promise.all(Array.from({ length: 30 }, () => kit.update<number>('count', (count = 0) => count + 1)))
      return kit.recall<number>('count')
    }, options())
    expect(total).toBe(30)
    expect(await withKit((kit) => kit.recall<number>('count'), options())).toBe(inFiles ? 30 : undefined)
    expect(existsSync(sessions)).toBe(inFiles)
  })

  test('it knows whether the user or a project configured it', async () => {
    expect(await withKit((kit) => kit.ownLayer, { layer: 'user' })).toBe(true)
    expect(await withKit((kit) => kit.ownLayer, { layer: 'project' })).toBe(false)
  })
})

describe('a builtin in a config', () => {
  const executor = createBuiltinExecutor({ dataDir: directory })
  const problems = (spec: BuiltinSpec, event: EventName = 'before_llm_call') =>
    executor
      .check?.(spec, makeCall({ type: 'builtin' }, { event }).hook)
      .map(({ message, remedy }) => `${message} ${remedy}`) ?? []

  test('an unknown one is a problem at load, with the nearest named', () => {
    expect(problems({ name: 'add_dat' })).toEqual([expect.stringContaining('Did you mean `add_date`?')])
    expect(problems({ name: 'constructor' })).toHaveLength(1)
  })

  test('wrong args are a problem at load, with their place', () => {
    expect(problems({ name: 'max_iterations' })[0]).toContain('`args.limit` is missing')
    expect(problems({ name: 'max_iterations', args: ['many'] })[0]).toContain('`args.limit` must be')
    expect(problems({ name: 'max_iterations', args: { limt: 5 } })[1]).toContain('Did you mean `limit`?')
    expect(problems({ name: 'max_iterations', args: { limit: 5 } })).toEqual([])
    expect(problems({ name: 'max_iterations', args: ['5'] })).toEqual([])
  })

  test('on an event it was not made for, it is a problem at load and a failure at run time', async () => {
    const spec = { name: 'max_iterations', args: { limit: 5 } }
    expect(problems(spec, 'stop')).toEqual([expect.stringContaining('`max_iterations` is not for stop')])
    const result = answerOf(executor, spec, makeCall({ type: 'builtin' }, { event: 'stop', payload: {} }))
    await expect(result).rejects.toMatchObject({ kind: 'spawn', remedy: 'Use it on before_llm_call.' })
  })
})
