import { expect, it } from 'vitest'
import { redactValue } from '../../src/guards/secrets/index.ts'
import { makeRedact, plainNames } from '../../src/journal/prepare.ts'
import fc from '../support/property.ts'
import { entry } from './support.ts'

const token = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`
const text = fc.constantFrom('ls', 'fine', 'hunter2', `curl -u ${token}`, token, 'password=hunter22', '', 'src/a.ts')
const name = fc.constantFrom('command', 'password', 'api_key', 'path', 'authorization', token)
const bytes = fc.constant(Array.from({ length: 64 }, (_, index) => (index * 37) % 256))
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), bytes),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
}))

it('remembering what is clean changes nothing: the same is redacted as by the guard alone', () => {
  const redact = makeRedact(redactValue)
  fc.assert(
    fc.property(value, text, (payload, reason) => {
      const raw = entry(1, { payload, decision: { ruling: 'deny', reason } })
      expect(redact(raw)).toEqual(redactValue(raw).value)
    }),
    { numRuns: 500 },
  )
})

it('a value within itself, and one nested very deep, are left to the guard', () => {
  const circular: Record<string, unknown> = { command: token }
  circular['self'] = circular
  let deep: unknown = token
  for (let level = 0; level < 100; level++) deep = level % 2 ? [deep] : { deep }
  for (const payload of [circular, deep]) expect(() => makeRedact(redactValue)(entry(1, { payload }))).not.toThrow()
  expect(JSON.stringify(makeRedact(redactValue)(entry(1, { payload: deep })))).not.toContain(token)
})

it('names that every entry has announce no secret, whatever stands under them', () => {
  const random = 'hunter2Xk39vLq0ZtY7'
  expect([...plainNames].filter((plain) => redactValue({ [plain]: random }).found > 0)).toEqual([])
})
