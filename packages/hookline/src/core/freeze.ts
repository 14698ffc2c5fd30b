/**
 * A deep-frozen copy of plain data: hooks share it, and none can change it for another or for the host. `into` is an
 * object to fill, which holds what the data may leave out; a literal, since V8 makes a slow dictionary of any other.
 */
export function frozenCopy<T>(value: T, into?: Record<string, unknown>): T {
  return (into ? copyInto(into, value as object, 0) : copy(value, 0)) as T
}

const deepest = 200

function copy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > deepest) throw new RangeError(`The payload is nested more than ${deepest} levels deep.`)
  if (Array.isArray(value)) return Object.freeze(value.map((item) => copy(item, depth + 1)))
  return copyInto({}, value, depth)
}

function copyInto(result: Record<string, unknown>, value: object, depth: number): unknown {
  for (const key of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[key]
    if (field === undefined || typeof field === 'function' || typeof field === 'symbol') continue
    result[key] = typeof field === 'object' ? copy(field, depth + 1) : field
  }
  return Object.freeze(result)
}
