import { viewOf } from './view.ts'

/** A text that is known to be a secret, because it stands in a file that keeps them. At least four characters. */
export interface KnownSecret {
  readonly text: string
  readonly type: string
}

interface Span {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** Where known secrets stand in a text as finders see it, in order, none overlapping. Linear in the length of the text. */
export function findKnown(text: string, known: readonly KnownSecret[]): Span[] {
  if (known.length === 0) return []
  const { begins, buckets } = tables.get(known) ?? tableOf(known)
  const found: Span[] = []
  for (let at = 0; at <= text.length - prefix; at++) {
    const hash = hashAt(text, at)
    if (begins[hash] === 0) continue
    const secret = buckets.get(hash)?.find((each) => text.startsWith(each.text, at))
    if (!secret) continue
    found.push({ type: secret.type, start: at, end: at + secret.text.length })
    at += secret.text.length - 1
  }
  return found
}

interface Table {
  begins: Uint8Array
  /** The longest first, so that no secret is taken for the beginning of itself. */
  buckets: Map<number, KnownSecret[]>
}

const tables = new WeakMap<readonly KnownSecret[], Table>()
const prefix = 4
const hashes = 1 << 14

const hashAt = (text: string, at: number): number =>
  (text.charCodeAt(at) * 7919 +
    text.charCodeAt(at + 1) * 613 +
    text.charCodeAt(at + 2) * 53 +
    text.charCodeAt(at + 3) * 7) &
  (hashes - 1)

function tableOf(known: readonly KnownSecret[]): Table {
  const begins = new Uint8Array(hashes)
  const buckets = new Map<number, KnownSecret[]>()
  const spelled = known.flatMap(spellings).sort((one, other) => other.text.length - one.text.length)
  for (const secret of spelled) {
    const hash = hashAt(secret.text, 0)
    begins[hash] = 1
    buckets.set(hash, [...(buckets.get(hash) ?? []), secret])
  }
  const table = { begins, buckets }
  tables.set(known, table)
  return table
}

/** As it is, and as JSON and addresses write it; each as a view shows it. */
function spellings({ text, type }: KnownSecret): KnownSecret[] {
  const inJson = JSON.stringify(text).slice(1, -1)
  const inAddress = /^[\x20-\x7e]*$/.test(text) ? encodeURIComponent(text) : text
  return [...new Set([text, inJson, inAddress].map((each) => viewOf(each).text))]
    .filter((each) => each.length >= prefix)
    .map((each) => ({ text: each, type }))
}
