import { type Opinion, type Rewrite, rulings } from '../../src/core/index.ts'
import fc from './property.ts'

const text = fc.string({ maxLength: 12 })
const patch = fc.dictionary(
  fc.constantFrom('command', 'path', 'cwd', 'timeout'),
  fc.oneof(text, fc.integer(), fc.constant(null)),
  { maxKeys: 3 },
)

export const aRewrite: fc.Arbitrary<Rewrite> = fc.record({
  mode: fc.constantFrom('merge' as const, 'replace' as const),
  value: patch,
})

export const anOpinion: fc.Arbitrary<Opinion> = fc.record(
  {
    decision: fc.record({ ruling: fc.constantFrom(...rulings), reason: text }),
    halt: fc.record({ reason: text }),
    context: fc.array(text, { maxLength: 2 }),
    rewrite: aRewrite,
    message: fc.array(text, { maxLength: 2 }),
    metadata: fc.dictionary(fc.constantFrom('blast_radius', 'category'), text),
  },
  { requiredKeys: [] },
)
