import { type EffectName, effectNames, effectRow, type Opinion, type Rewrite } from '../../src/core/index.ts'
import { type JsonSchema, toJsonSchema } from '../../src/core/json-schema.ts'
import fc from './property.ts'

const text = fc.string({ maxLength: 12 })
const patch = fc.dictionary(
  fc.constantFrom('command', 'path', 'cwd', 'timeout'),
  fc.oneof(text, fc.integer(), fc.constant(null)),
  { maxKeys: 3 },
)

/** Any value of an effect, from the schema in its row: a new effect is tested like all others. */
const effectValue = (name: EffectName): fc.Arbitrary<unknown> => fromSchema(toJsonSchema(effectRow(name).schema))

export const anOpinion = fc.record(Object.fromEntries(effectNames.map((name) => [name, effectValue(name)])), {
  requiredKeys: [],
}) as fc.Arbitrary<Opinion>

export const aRewrite = effectValue('rewrite') as fc.Arbitrary<Rewrite>

function fromSchema(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { type, enum: values, items, properties, additionalProperties } = schema
  if (Array.isArray(values)) return fc.constantFrom(...values)
  if (type === 'string') return text
  if (type === 'number' || type === 'integer') return fc.integer()
  if (type === 'boolean') return fc.boolean()
  if (type === 'array') return fc.array(fromSchema(items as JsonSchema), { maxLength: 2 })
  if (properties)
    return fc.record(
      Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, fromSchema(inner as JsonSchema)])),
    )
  if (additionalProperties)
    return fc.dictionary(fc.constantFrom('blast_radius', 'category'), fromSchema(additionalProperties as JsonSchema))
  return patch
}
