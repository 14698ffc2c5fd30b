import type * as z from 'zod/mini'
import { isRecord } from './effects.ts'

type Check = (value: unknown) => boolean

/**
 * A fast reading of the simplest schemas, for the one place where every event passes. It may say no to what the
 * schema accepts (the schema then has the last word), and never yes to what the schema refuses.
 */
export function quickCheck(shape: Readonly<Record<string, z.ZodMiniType>>): Check {
  const fields = Object.entries(shape).map(([name, schema]) => [name, checkOf(schema)] as const)
  return (payload) => {
    if (!isRecord(payload)) return false
    for (const [name, check] of fields) if (!check(payload[name])) return false
    return true
  }
}

const checks: Readonly<Record<string, Check>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  unknown: () => true,
  record: (value) => isRecord(value) && isPlain(value),
}

function checkOf(schema: z.ZodMiniType): Check {
  const definition = schema._zod.def as unknown as { type: string; innerType: z.ZodMiniType }
  if (definition.type !== 'optional') return checks[definition.type] ?? (() => false)
  const inner = checkOf(definition.innerType)
  return (value) => value === undefined || inner(value)
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
