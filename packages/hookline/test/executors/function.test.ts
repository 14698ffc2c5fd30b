import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { validate } from '../../src/core/index.ts'
import type { Asked, FunctionSpec } from '../../src/executors/function.ts'
import { createFunctionExecutor } from '../../src/executors/function.ts'
import { makeCall } from '../support/call.ts'
import { remove } from '../support/scratch.ts'
import { executorContract } from './contract.ts'

const opinionOf = (stdout: string) => {
  const { decision, reason } = JSON.parse(stdout || '{}')
  return decision === undefined ? undefined : { decision: { ruling: decision, reason: reason ?? '' } }
}

const noWire = 'its answer is an opinion and never crosses a wire'
executorContract<FunctionSpec>('function', {
  make: createFunctionExecutor,
  answers: ({ stdout = '' }) => ({ handler: async () => opinionOf(stdout) }),
  hangs: () => ({ handler: () => new Promise(() => {}) }),
  crashes: () => ({
    handler: () => {
      throw new Error('broken')
    },
  }),
  cannot: {
    'deny-by-exit': noWire,
    plain: noWire,
    payload: 'it is given the payload itself; shown below',
    'output-limit': noWire,
  },
})

const directory = mkdtempSync(join(tmpdir(), 'hookline-function-'))
afterAll(() => remove(directory))

/** A call of a hook whose config file is in the directory. */
function call(spec: FunctionSpec) {
  const made = makeCall({ type: 'function', ...spec })
  made.hook.origin = { layer: 'project', where: { file: join(directory, 'hookline.yaml') } }
  return made
}

const ask = async (handler: (input: Asked) => unknown, timeoutMs = 2_000) =>
  createFunctionExecutor().run({ handler: handler as never }, makeCall({ type: 'function' }, { timeoutMs }))

describe('a function given in code', () => {
  test('gets the event, the payload, the deadline and its hook', async () => {
    let seen: Asked | undefined
    await ask((input) => {
      seen = input
    })
    expect(seen).toMatchObject({ event: 'pre_tool_use', payload: { tool_name: 'shell' }, hook: { id: 'under-test' } })
    expect(seen?.signal.aborted).toBe(false)
  })

  test('may answer at once or later', async () => {
    expect(await ask(() => ({ context: 'now' }))).toEqual({ kind: 'opinion', opinion: { context: ['now'] } })
    expect(await ask(async () => ({ context: ['later'] }))).toEqual({
      kind: 'opinion',
      opinion: { context: ['later'] },
    })
    expect(await ask(() => undefined)).toEqual({ kind: 'opinion', opinion: undefined })
  })
})

describe('a function that misbehaves', () => {
  const unhandled: unknown[] = []
  const remember = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', remember)
  afterAll(() => process.off('unhandledRejection', remember))
  afterEach(async () => {
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(unhandled).toEqual([])
  })

  const thrown: [string, () => unknown, string][] = [
    ['an error', () => Promise.reject(new TypeError('no')), 'TypeError: no'],
    ['undefined', () => Promise.reject(undefined), 'undefined'],
    ['null', () => Promise.reject(null), 'null'],
    ['a thing that cannot be shown', () => Promise.reject(Object.create(null)), 'something that cannot be shown'],
    ['a proxy that throws', () => Promise.reject(new Proxy({}, { getPrototypeOf: () => fail() })), 'something'],
  ]
  const fail = (): never => {
    throw new Error('trap')
  }

  test.each(thrown)('rejecting with %s is the failure internal', async (_name, handler, detail) => {
    await expect(ask(handler)).rejects.toMatchObject({ name: 'HookFailure', kind: 'internal' })
    await expect(ask(handler)).rejects.toThrow(`the function threw ${detail}`)
  })

  test('throwing undefined at once is the failure internal', async () => {
    await expect(
      ask(() => {
        throw undefined
      }),
    ).rejects.toMatchObject({ kind: 'internal', message: 'the function threw undefined' })
  })

  test('only the first callback of a thenable counts', async () => {
    const twice = {
      // biome-ignore lint/suspicious/noThenProperty: a foreign thenable is what is tested
      then(resolve: (value: unknown) => void, reject: (error: unknown) => void) {
        resolve({ context: 'first' })
        resolve({ context: 'second' })
        reject(new Error('third'))
      },
    }
    expect(await ask(() => twice)).toEqual({ kind: 'opinion', opinion: { context: ['first'] } })
  })

  test('a thenable whose `then` throws is the failure internal', async () => {
    await expect(ask(() => Object.defineProperty({}, 'then', { get: fail }))).rejects.toMatchObject({
      kind: 'internal',
    })
  })

  test('an answer with a throwing getter, or a proxy, is the failure invalid-output', async () => {
    const getter = Object.defineProperty({}, 'decision', { enumerable: true, get: fail })
    for (const answer of [getter, new Proxy({}, { ownKeys: fail }), { decision: 'deny' }, true, 'deny', [1]])
      await expect(ask(() => answer)).rejects.toMatchObject({ name: 'HookFailure', kind: 'invalid-output' })
  })

  test('an answer after the deadline is ignored, and may still fail quietly', async () => {
    const late = () => new Promise((_resolve, reject) => setTimeout(() => reject(new Error('late')), 80))
    await expect(ask(late, 30)).rejects.toMatchObject({ kind: 'aborted' })
    await new Promise((resolve) => setTimeout(resolve, 100))
  })
})

describe('a function named by its module', () => {
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text)

  test('is found from the directory of the config file, in TypeScript and in JavaScript', async () => {
    write('hook.ts', 'export const typed = ({ event }: { event: string }) => ({ context: ("ts " + event) as string })')
    write('hook.mjs', 'export default () => ({ context: "mjs" })\nexport const named = () => ({ context: "named" })')
    const executor = createFunctionExecutor()
    const contextOf = async (module: string) => (await executor.run({ module }, call({ module }))) as unknown
    expect(await contextOf('./hook.ts#typed')).toMatchObject({ opinion: { context: ['ts pre_tool_use'] } })
    expect(await contextOf('./hook.mjs')).toMatchObject({ opinion: { context: ['mjs'] } })
    expect(await contextOf(`${join(directory, 'hook.mjs')}#named`)).toMatchObject({ opinion: { context: ['named'] } })
  })

  test.each([
    ['./missing.ts#x', 'There is no file'],
    ['./guards.mjs#blockRn', 'has no export `blockRn`. Did you mean `blockRm`?'],
    ['./guards.mjs#limit', 'The export `limit` of'],
    ['./broken.ts#x', 'cannot be loaded: '],
    ['./throws.mjs#x', 'cannot be loaded: Error: at import'],
  ])('%s fails to start, and says why', async (module, detail) => {
    write('guards.mjs', 'export const blockRm = () => {}\nexport const limit = 3')
    write('broken.ts', 'export const = ;')
    write('throws.mjs', 'throw new Error("at import")')
    const run = createFunctionExecutor().run({ module }, call({ module }))
    await expect(run).rejects.toMatchObject({ name: 'HookFailure', kind: 'spawn' })
    await expect(run).rejects.toThrow(detail)
  })

  test.each(['ts', 'mjs'])('a .%s file that failed is tried again, and a changed one is read anew', async (kind) => {
    const file = `mend.${kind}`
    const module = `./${file}#say`
    const executor = createFunctionExecutor()
    await expect(executor.run({ module }, call({ module }))).rejects.toMatchObject({ kind: 'spawn' })
    write(file, 'export const say = () => ({ context: "one" })')
    expect(await executor.run({ module }, call({ module }))).toMatchObject({ opinion: { context: ['one'] } })
    await new Promise((resolve) => setTimeout(resolve, 20))
    write(file, 'export const say = () => ({ context: "two" })')
    await executor.close?.()
    expect(await executor.run({ module }, call({ module }))).toMatchObject({ opinion: { context: ['two'] } })
  })
})

test('the spec takes a function or a module, and not both or neither', () => {
  const { spec } = createFunctionExecutor()
  expect(validate(spec, { handler: () => {} }).ok).toBe(true)
  expect(validate(spec, { module: './a.ts#b' }).ok).toBe(true)
  for (const wrong of [{}, { handler: 'x' }, { module: '' }, { handler: () => {}, module: './a.ts' }])
    expect(validate(spec, wrong).ok).toBe(false)
})
