import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { defineExecutor, type Executor, type Pin } from '../../src/core/index.ts'
import { createHooks } from '../../src/index.ts'
import { project } from './project.ts'

/** An executor as anybody could write one: it runs what is in a file beside the config, and the file says what to answer. */
function moduleExecutor(pins: (spec: { file: string }) => readonly Pin[]): Executor {
  return defineExecutor<{ file: string }>({
    type: 'module',
    doc: 'Runs a module.',
    spec: z.strictObject({ file: z.string() }),
    pins,
    run: ({ file }, { hook }) => {
      const reason = readFileSync(resolve(dirname(hook.origin.where?.file ?? '.'), file), 'utf8')
      return { kind: 'opinion', opinion: { decision: { ruling: 'deny', reason } } }
    },
  }) as Executor
}

const entries = [{ id: 'guard', event: 'pre_tool_use', run: { type: 'module', file: 'guard.wasm' } }]
const made = () => project({ entries, files: { 'guard.wasm': 'GOOD' } })

describe('an executor that Hookline does not know', () => {
  it('runs what was approved, and nothing that took its place since', async () => {
    const at = made()
    const executors = [moduleExecutor(({ file }) => [{ file, from: 'config', instead: (copy) => ({ file: copy }) }])]
    await at.approve({ executors })
    expect(await at.ask({ executors })).toBe('GOOD')
    at.write('guard.wasm', 'EVIL')
    expect(await at.ask({ executors })).toMatch(/^untrusted: .*guard\.wasm/)
  })

  it('that cannot be given a copy runs in place, and only while the bytes are the approved ones', async () => {
    const at = made()
    const executors = [moduleExecutor(({ file }) => [{ file, from: 'config' }])]
    const [inspection] = await at.inspect({ executors })
    expect(inspection!.pinned.inPlace).toEqual([expect.stringContaining('guard.wasm')])
    await at.approve({ executors })
    expect(await at.ask({ executors })).toBe('GOOD')
    at.write('guard.wasm', 'EVIL')
    expect(await at.ask({ executors })).toMatch(/^untrusted: /)
  })

  it('gets its spec as its schema reads it, in pins and when it runs', async () => {
    const seen: unknown[] = []
    const executor = defineExecutor<{ file: string }>({
      type: 'module',
      doc: 'Runs a module.',
      spec: z.strictObject({ file: z._default(z.string(), 'guard.wasm') }),
      pins: ({ file }) => [{ file, from: 'config' }],
      run: (spec) => {
        seen.push(spec)
        return { kind: 'opinion', opinion: undefined }
      },
    }) as Executor
    const hooks = await createHooks({
      executors: [executor],
      hooks: [{ event: 'pre_tool_use', run: { type: 'module' } }],
      trust(_hook, _event, _dialect, { pins }) {
        seen.push(pins({}))
        return { trusted: true }
      },
    })
    await hooks.raise('pre_tool_use', { session_id: 's', tool_name: 'shell', tool_input: {} })
    await hooks.close()
    expect(seen).toEqual([[{ file: 'guard.wasm', from: 'config' }], { file: 'guard.wasm' }])
  })

  it.each<[string, unknown]>([
    ['has no `pins`', undefined],
    ['gives pins without a meaning', () => [{ path: 'guard.wasm' }]],
    ['gives no pins', () => undefined],
    [
      'throws when its pins are read',
      () => {
        throw new Error('no idea')
      },
    ],
  ])('that %s cannot be approved, and does not run', async (_how, pins) => {
    const at = made()
    const { pins: _, ...rest } = moduleExecutor(() => [])
    const executors = [(pins === undefined ? rest : { ...rest, pins }) as Executor]
    expect((await at.inspect({ executors })).map(({ state }) => state)).toEqual(['refused'])
    await expect(at.approve({ executors })).rejects.toThrow(/which bytes/)
    expect(await at.ask({ executors })).toMatch(/^untrusted: .*which bytes/)
  })
})
