/** A deep-frozen copy of plain data: hooks share it, and none can change it for another or for the host. */
export function frozenCopy<T>(value: T): T {
  return copy(value, 0) as T
}

const deepest = 200

function copy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > deepest) throw new RangeError(`The payload is nested more than ${deepest} levels deep.`)
  if (Array.isArray(value)) return Object.freeze(value.map((item) => copy(item, depth + 1)))
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[key]
    if (field === undefined || typeof field === 'function' || typeof field === 'symbol') continue
    result[key] = copy(field, depth + 1)
  }
  return Object.freeze(result)
}
