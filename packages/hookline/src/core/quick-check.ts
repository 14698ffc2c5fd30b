import type * as z from 'zod/mini'
import { isRecord } from './effects.ts'

type Check = (value: unknown) => boolean

const checks = new WeakMap<z.ZodMiniType, Check>()

/** Says what plainly fits this schema. */
export function quickly<S extends z.ZodMiniType>(schema: S, check: Check): S {
  checks.set(schema, check)
  return schema
}

/** What plainly fits a schema that was told so; of others, nothing does. */
export const checkOf = (schema: z.ZodMiniType): Check => checks.get(schema) ?? (() => false)

/**
 * A fast reading of the simplest schemas, for the one place where every event passes. It may say no to what the
 * schema accepts (the schema then has the last word), and never yes to what the schema refuses.
 */
export function quickCheck(shape: () => Readonly<Record<string, z.ZodMiniType>>): Check {
  let known: ReadonlyMap<string, Check> | undefined
  let required: readonly string[] = []
  return (payload) => {
    if (!isPlainRecord(payload)) return false
    if (!known) {
      const fields = Object.entries(shape()).map(([name, schema]) => [name, checkOf(schema)] as const)
      known = new Map(fields)
      required = fields.flatMap(([name, fits]) => (fits(undefined) ? [] : [name]))
    }
    // By the fields that are there: most of what a row allows is absent, and looking for it takes longest.
    for (const name of Object.keys(payload)) if (known.get(name)?.(payload[name]) === false) return false
    for (const name of required) if (payload[name] === undefined) return false
    return true
  }
}

/** A record that inherits nothing but what all records do. */
export function isPlainRecord(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
