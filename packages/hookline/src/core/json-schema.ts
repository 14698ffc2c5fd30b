import * as z from 'zod/mini'
import type { StandardSchema } from './standard-schema.ts'
import { isZod } from './validate.ts'

export type JsonSchema = Record<string, unknown>

/**
 * What editors and docs read: draft 7, which editors know best. A library that cannot describe its schemas accepts anything.
 * Apart from the index, because no dispatch needs it.
 */
export function toJsonSchema(schema: StandardSchema): JsonSchema {
  const own = schema['~standard'].jsonSchema
  if (own) return own.input({ target: 'draft-07' })
  if (!isZod(schema)) return {}
  return z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      // What cannot stand in a file, such as a function, matches nothing.
      if (zodSchema._zod.def.type === 'custom') Object.assign(jsonSchema, { not: {} })
    },
  }) as JsonSchema
}
