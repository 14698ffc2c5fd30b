/**
 * What hooks see of a value that is more than JSON. Nothing that holds text may look empty to a hook that redacts, so
 * maps, sets, bytes and errors are opened. What cannot be read without using it up, such as a stream, is refused.
 */
export function jsonView(value: unknown): unknown {
  return view(value, [])
}

/** Why hooks cannot see a value. */
export class NotShown extends Error {
  override name = 'NotShown'
}

const deepest = 64

/** `above`: what the value lies in, outermost first; it grows and shrinks on the way. */
function view(value: unknown, above: object[]): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (above.includes(value)) return '[circular]'
  if (above.length > deepest) throw new NotShown(`it is nested more than ${deepest} levels deep`)
  above.push(value)
  const seen = opened(value, above)
  above.pop()
  return seen
}

function opened(value: object, above: object[]): unknown {
  const inner = (item: unknown) => view(item, above)
  const { toJSON } = value as { toJSON?: unknown }
  if (typeof toJSON === 'function' && !ArrayBuffer.isView(value)) return inner(toJSON.call(value))
  if (Array.isArray(value)) return value.map((item) => inner(item) ?? null)
  if (isPlain(value)) return viewOf(value, inner)
  if (value instanceof Map) return [...value].map(inner)
  if (value instanceof Set) return [...value].map(inner)
  if (value instanceof Error) return viewOf({ ...value, name: value.name, message: value.message }, inner)
  if (ArrayBuffer.isView(value)) return textOf(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
  if (value instanceof ArrayBuffer) return textOf(new Uint8Array(value))
  if (isUsedUp(value)) throw new NotShown('it is a stream or an iterator, which can be read once: collect it first')
  return viewOf(value, inner)
}

function viewOf(value: object, inner: (item: unknown) => unknown): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    const seen = inner(item)
    if (seen !== undefined && key !== inherited) shown[key] = seen
  }
  return shown
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return `[${bytes.length} bytes that are no text]`
  }
}

function isUsedUp(value: object): boolean {
  return (
    Symbol.asyncIterator in value ||
    Symbol.iterator in value ||
    typeof (value as { next?: unknown }).next === 'function' ||
    typeof (value as { getReader?: unknown }).getReader === 'function' ||
    typeof (value as { arrayBuffer?: unknown }).arrayBuffer === 'function'
  )
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

/** A copy of its own of all plain data in a value: nobody who holds the original changes it, and it may be changed. */
export function ownCopy<T>(value: T): T {
  return copied(value, new Map()) as T
}

function copied(value: unknown, known: Map<object, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (known.has(value)) return known.get(value)
  if (Array.isArray(value)) {
    const list: unknown[] = []
    known.set(value, list)
    for (const item of value) list.push(copied(item, known))
    return list
  }
  if (!isPlain(value)) return value
  const record: Record<string, unknown> = {}
  known.set(value, record)
  for (const [key, item] of Object.entries(value)) if (key !== inherited) record[key] = copied(item, known)
  return record
}

/** Set on an object, it is no key but its prototype: what hooks cannot see, nobody gets. */
const inherited = '__proto__'
