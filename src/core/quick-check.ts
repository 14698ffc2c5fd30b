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
  let names: string[] | undefined
  let fits: Check[] = []
  return (payload) => {
    if (!isRecord(payload)) return false
    if (!names) {
      const fields = shape()
      names = Object.keys(fields)
      fits = Object.values(fields).map(checkOf)
    }
    for (let at = 0; at < names.length; at++) if (!fits[at]!(payload[names[at]!])) return false
    return true
  }
}
