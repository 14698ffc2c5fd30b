/**
 * What the YAML and the JSON parser have in common, once each has described how its nodes look: the value, checked for all
 * that must not be in a config, and the place of every part of it.
 */
export type NodeView<N> =
  | { at: number; scalar: unknown }
  | { at: number; items: readonly N[] }
  | { at: number; pairs: readonly { key: string; at: number; value: N }[] }

/** Where a value begins; a value under a key is found at its key. */
interface Place {
  at: number
  items?: Place[]
  keys?: Map<string, Place>
}

export type Path = readonly (string | number)[]

export type Tree = { ok: true; value: unknown; find(path: Path): number } | Flawed

export interface Flawed {
  ok: false
  kind: 'syntax' | 'size'
  detail: string
  at: number
}

export const syntaxFlaw = (detail: string, at: number): Flawed => ({ ok: false, kind: 'syntax', detail, at })

/** More than 10,000 hooks of a generous size; an alias bomb ends here, however few bytes it has. */
export const maxValues = 200_000
const maxDepth = 64
const refusedKeys = new Set(['__proto__', 'constructor', 'prototype'])

export function makeTree<N>(root: N, view: (node: N) => NodeView<N>): Tree {
  let values = 0
  const place: Place = { at: 0 }
  try {
    const value = build(root, place, 0)
    return { ok: true, value, find: (path) => find(place, path) }
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, kind: error.kind, detail: error.message, at: error.at }
    throw error
  }

  function build(node: N, into: Place, depth: number): unknown {
    const seen = view(node)
    if (++values > maxValues) throw new Refusal('size', `${maxValues.toLocaleString('en')} values`, seen.at)
    if (depth > maxDepth) throw new Refusal('syntax', `it is nested more than ${maxDepth} levels deep`, seen.at)
    if ('scalar' in seen) return seen.scalar
    if ('items' in seen) {
      const places: Place[] = []
      into.items = places
      return seen.items.map((item) => {
        const child: Place = { at: view(item).at }
        places.push(child)
        return build(item, child, depth + 1)
      })
    }
    const places = new Map<string, Place>()
    into.keys = places
    const object: Record<string, unknown> = {}
    for (const { key, at, value } of seen.pairs) {
      if (refusedKeys.has(key)) throw new Refusal('syntax', `the key \`${key}\` is not allowed`, at)
      if (places.has(key)) throw new Refusal('syntax', `the key \`${key}\` appears twice`, at)
      const child: Place = { at }
      places.set(key, child)
      object[key] = build(value, child, depth + 1)
    }
    return object
  }
}

/** How many keys there are in a value that makeTree would have made; undefined when it would have refused it. */
export function countKeys(root: unknown): number | undefined {
  let values = 0
  let keys = 0
  return isFine(root, 0) ? keys : undefined

  function isFine(value: unknown, depth: number): boolean {
    if (++values > maxValues || depth > maxDepth) return false
    if (typeof value !== 'object' || value === null) return true
    if (Array.isArray(value)) return value.every((item) => isFine(item, depth + 1))
    const own = Object.keys(value)
    keys += own.length
    return own.every((key) => !refusedKeys.has(key) && isFine(value[key as never], depth + 1))
  }
}

class Refusal extends Error {
  readonly kind: 'syntax' | 'size'
  readonly at: number
  constructor(kind: 'syntax' | 'size', detail: string, at: number) {
    super(detail)
    this.kind = kind
    this.at = at
  }
}

/** As far as the path leads: what is missing is missed where it should have been. */
function find(root: Place, path: Path): number {
  let place = root
  for (const step of path) {
    const next = typeof step === 'number' ? place.items?.[step] : place.keys?.get(step)
    if (!next) break
    place = next
  }
  return place.at
}
