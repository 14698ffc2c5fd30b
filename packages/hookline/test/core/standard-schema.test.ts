import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { validate } from '../../src/core/index.ts'
import { toJsonSchema } from '../../src/core/json-schema.ts'
import { createHooks, defineBuiltin, defineExecutor, type Hooks, type StandardSchema } from '../../src/index.ts'

/** A schema of no library at all: what the standard asks for, and nothing more. */
const evenNumber: StandardSchema<{ count: number }> = {
  '~standard': {
    version: 1,
    vendor: 'by hand',
    validate(value) {
      const count = (value as { count?: unknown }).count
      if (typeof count === 'number' && count % 2 === 0) return { value: { count } }
      return { issues: [{ message: 'count must be even.', path: [{ key: 'count' }] }] }
    },
  },
}

const open: Hooks[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((hooks) => hooks.close()))
})

describe('a schema of any library', () => {
  it('validates, and its issues keep their own messages', () => {
    expect(validate(evenNumber, { count: 2 })).toEqual({ ok: true, value: { count: 2 } })
    expect(validate(evenNumber, { count: 3 })).toMatchObject({
      problems: [{ path: ['count'], detail: 'is not valid: count must be even' }],
    })
    expect(toJsonSchema(evenNumber)).toEqual({})
  })

  it('may be the zod of the user: its issues get our messages, and editors read its JSON Schema', () => {
    const schema = z.strictObject({ limit: z.number().describe('How many.'), mode: z.enum(['a', 'b']).optional() })
    expect(validate(schema, { limit: 'x' })).toMatchObject({
      problems: [{ path: ['limit'], detail: 'must be a number, not `x`' }],
    })
    expect(validate(schema, { limit: 1, mod: 'a' })).toMatchObject({
      problems: [{ unknownKey: { key: 'mod', known: ['limit', 'mode'] } }],
    })
    expect(toJsonSchema(schema)).toMatchObject({ properties: { limit: { type: 'number' } }, required: ['limit'] })
  })

  it('must validate synchronously', () => {
    const later = z.string().refine(async () => true)
    expect(validate(later, 'x')).toMatchObject({
      ok: false,
      problems: [{ detail: expect.stringContaining('asynchronously') }],
    })
  })

  it('reads the spec of an executor', async () => {
    const counting = defineExecutor({
      type: 'counting',
      doc: 'Counts.',
      spec: evenNumber,
      pins: () => [],
      run: ({ count }) => ({ kind: 'opinion', opinion: { context: [`${count + 1}`] } }),
    })
    const hook = (count: number) => ({ event: 'pre_tool_use' as const, run: { type: 'counting', count } })
    const hooks = await createHooks({ executors: [counting], hooks: [hook(2)] })
    open.push(hooks)
    const verdict = await hooks.raise('pre_tool_use', { tool_name: 'shell', tool_input: {} })
    expect(verdict.context).toEqual(['3'])
    await expect(createHooks({ executors: [counting], hooks: [hook(3)] })).rejects.toThrow('must be even')
  })

  it('types the arguments of a builtin', () => {
    const builtin = defineBuiltin({
      name: 'limited',
      doc: 'Limits.',
      events: ['pre_tool_use'],
      args: z.object({ limit: z.number() }),
      answer: (_event, { limit }) => ({ context: [limit.toFixed(0)] }),
      examples: [],
    })
    expect(builtin.args['~standard'].vendor).toBe('zod')
  })
})
