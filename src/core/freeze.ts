/** A deep-frozen copy of plain data: hooks share it, and none can change it for another or for the host. */
export function frozenCopy<T>(value: T): T {
  return copy(value, 0) as T
}

const deepest = 200

function copy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Object.isFrozen(value) && frozen.has(value)) return value
  if (depth > deepest) throw new RangeError(`The payload is nested more than ${deepest} levels deep.`)
  const result = Array.isArray(value) ? value.map((item) => copy(item, depth + 1)) : copyFields(value, depth)
  frozen.add(Object.freeze(result))
  return result
}

function copyFields(value: object, depth: number): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[key]
    if (field === undefined || typeof field === 'function' || typeof field === 'symbol') continue
    result[key] = copy(field, depth + 1)
  }
  return result
}

/** What we froze ourselves, all the way down, need not be copied again. */
const frozen = new WeakSet<object>()
