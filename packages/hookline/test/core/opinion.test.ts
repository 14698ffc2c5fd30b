import { describe, expect, test } from 'vitest'
import { effectNames, effectRow, readOpinion, validate } from '../../src/core/index.ts'
import { anOpinion } from '../support/arbitraries.ts'
import fc from '../support/property.ts'

const detail = (value: unknown): string => {
  const read = readOpinion(value)
  return read.ok ? `read as ${JSON.stringify(read.opinion)}` : read.detail
}

describe('reading a foreign opinion', () => {
  test('what the effect table accepts is read as it is', () => {
    fc.assert(
      fc.property(anOpinion, (given) => {
        for (const name of effectNames)
          if (given[name] !== undefined) expect(validate(effectRow(name).schema, given[name]).ok).toBe(true)
        const read = readOpinion(given)
        expect(read).toEqual({ ok: true, opinion: Object.keys(given).length === 0 ? undefined : given })
      }),
    )
  })

  test('whatever is read is something the effect table accepts, and nothing makes it throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.dictionary(fc.constantFrom(...effectNames), fc.anything())), (given) => {
        const read = readOpinion(given)
        if (!read.ok) return void expect(read.detail).not.toBe('')
        for (const name of effectNames)
          if (read.opinion?.[name] !== undefined)
            expect(validate(effectRow(name).schema, read.opinion[name]).ok).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([undefined, null, {}, { decision: undefined }])('%o is no opinion', (given) => {
    expect(readOpinion(given)).toEqual({ ok: true, opinion: undefined })
  })

  test('one string will do for context and message, and a reason may be missing', () => {
    expect(readOpinion({ context: 'a', message: 'b', decision: { ruling: 'deny' }, halt: {} })).toEqual({
      ok: true,
      opinion: { context: ['a'], message: ['b'], decision: { ruling: 'deny', reason: '' }, halt: { reason: '' } },
    })
  })

  test.each([
    [{ decison: { ruling: 'deny' } }, 'unknown key `decison` in the opinion. Did you mean `decision`?'],
    [{ decision: { ruling: 'deny', why: 'x' } }, 'unknown key `decision.why`'],
    [{ decision: 'deny' }, '`decision` must be an object, not `deny`'],
    [{ decision: { ruling: 'block' } }, '`decision.ruling` must be `allow`, `ask` or `deny`, not `block`'],
    [{ context: [1] }, '`context[0]` must be a string, not the number 1'],
    [{ rewrite: { mode: 'patch', value: 1 } }, '`rewrite.mode` must be `merge` or `replace`'],
    [{ rewrite: { mode: 'merge' } }, '`rewrite.value` must be data that JSON can carry'],
    [
      { rewrite: { mode: 'replace', value: { at: new Date() } } },
      '`rewrite.value.at` must be a plain object, not a Date',
    ],
    [{ rewrite: { mode: 'replace', value: Number.NaN } }, 'data that JSON can carry'],
    [{ metadata: { a: 1 } }, '`metadata.a` must be a string'],
    [true, 'an opinion must be an object, not the boolean true'],
    ['deny', 'an opinion must be an object, not `deny`'],
    [[], 'an opinion must be an object, not a list'],
    [new Error('x'), 'an opinion must be a plain object, not a Error'],
    [new Map(), 'an opinion must be a plain object, not a Map'],
    [JSON.parse('{"rewrite":{"mode":"merge","value":{"__proto__":{"a":1}}}}'), 'must not have the key "__proto__"'],
  ])('%o is refused, and the place is named', (given, expected) => {
    expect(detail(given)).toContain(expected)
  })

  test('a getter is read once, and one that throws is refused', () => {
    let reads = 0
    const shifty = {
      get decision() {
        return { ruling: reads++ === 0 ? 'deny' : 'allow', reason: 'r' }
      },
    }
    expect(readOpinion(shifty)).toEqual({ ok: true, opinion: { decision: { ruling: 'deny', reason: 'r' } } })
    expect(reads).toBe(1)
    const trap = () => {
      throw undefined
    }
    const throwing = Object.defineProperty({}, 'decision', { enumerable: true, get: trap })
    expect(detail(throwing)).toContain('cannot be read')
    for (const handler of [{ ownKeys: trap }, { get: trap }, { getPrototypeOf: trap }])
      expect(detail(new Proxy({ decision: { ruling: 'deny' } }, handler))).toContain('cannot be read')
  })

  test('what was read no longer changes with what was given', () => {
    const given = { context: ['a'], rewrite: { mode: 'merge', value: { list: [1] } } }
    const read = readOpinion(given)
    given.context.push('b')
    given.rewrite.value.list.push(2)
    expect(read).toMatchObject({ opinion: { context: ['a'], rewrite: { value: { list: [1] } } } })
  })

  test('an object that contains itself ends at a limit', () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    expect(detail({ rewrite: { mode: 'merge', value: circle } })).toContain('64 levels deep')
    let tree: unknown = {}
    for (let level = 0; level < 40; level++) tree = { left: tree, right: tree }
    expect(detail({ rewrite: { mode: 'merge', value: tree } })).toContain('values')
  })
})
