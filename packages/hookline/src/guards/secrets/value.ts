import { credentialOf } from './checks/credential-name.ts'
import { isPlaceholder } from './checks/placeholder.ts'
import type { KnownSecret } from './known.ts'
import { type Marker, marker } from './marker.ts'
import { redactText } from './redact.ts'

/**
 * A copy of a JSON-like value without its secrets, or the value itself when there are none. Keys and values are both read; a text under
 * a name that says credential (`password`, `api_key`, `authorization`) is replaced whole unless it is a placeholder. Only plain objects and
 * arrays are entered. Texts that are `known` to be secrets go as well.
 */
export function redactValue<T>(
  value: T,
  mark: Marker = marker,
  known: readonly KnownSecret[] = [],
): { value: T; found: number } {
  const tally = { found: 0, mark, known }
  const redacted = walk(value, undefined, tally, new Set())
  return { value: redacted as T, found: tally.found }
}

interface Tally {
  found: number
  readonly mark: Marker
  readonly known: readonly KnownSecret[]
}

function walk(value: unknown, name: string | undefined, tally: Tally, above: Set<unknown>): unknown {
  if (typeof value === 'string') return redactNamed(value, name, tally)
  if (!isContainer(value) || above.has(value)) return value
  above.add(value)
  const redacted = Array.isArray(value) ? walkArray(value, name, tally, above) : walkObject(value, tally, above)
  above.delete(value)
  return redacted
}

function walkArray(array: readonly unknown[], name: string | undefined, tally: Tally, above: Set<unknown>): unknown {
  if (isByteKey(array)) {
    tally.found++
    return [tally.mark('solana-private-key')]
  }
  const items = array.map((item) => walk(item, name, tally, above))
  return items.every((item, i) => item === array[i]) ? array : items
}

function walkObject(object: Record<string, unknown>, tally: Tally, above: Set<unknown>): unknown {
  let changed = false
  const names = new Set<string>()
  const entries = Object.entries(object).map(([key, item]): [string, unknown] => {
    const shown = redactNamed(key, undefined, tally)
    const kept = walk(item, key, tally, above)
    const name = unused(shown, names)
    names.add(name)
    changed ||= name !== key || kept !== item
    return [name, kept]
  })
  // fromEntries defines own properties, so that a key named __proto__ stays a key.
  return changed ? Object.fromEntries(entries) : object
}

function redactNamed(text: string, name: string | undefined, tally: Tally): string {
  const { redacted, found } = redactText(text, tally.mark, tally.known)
  tally.found += found.length
  if (found.length > 0) return redacted
  const credential = name === undefined ? undefined : credentialOf(name)
  if (!credential?.sure || text.length < SHORTEST[credential.kind] || text.trim() === '' || isPlaceholder(text))
    return text
  tally.found++
  return tally.mark(credential.type)
}

/** `token: "if"` is a parser speaking; a password may be short. */
const SHORTEST = { password: 1, header: 4, secret: 6, key: 6, token: 8 }

/** Two secrets used as keys must not become one key. */
function unused(name: string, taken: ReadonlySet<string>): string {
  let candidate = name
  for (let i = 2; taken.has(candidate); i++) candidate = `${name}#${i}`
  return candidate
}

function isByteKey(array: readonly unknown[]): boolean {
  return (
    array.length === 64 &&
    array.every((item) => typeof item === 'number') &&
    redactText(JSON.stringify(array)).found.length > 0
  )
}

function isContainer(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
