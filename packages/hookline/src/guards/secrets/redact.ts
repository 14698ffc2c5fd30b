import { findKnown, type KnownSecret } from './known.ts'
import { type Marker, marker } from './marker.ts'
import { scan } from './scan.ts'
import { viewOf } from './view.ts'

/** Where a secret stands: what would be replaced, in UTF-16 offsets. */
export interface Found {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** Every secret in the text, in order, none overlapping. Pure, and linear in the length of the text. */
export function findSecrets(text: string): Found[] {
  return located(text).map(({ type, start, end }) => ({ type, start, end }))
}

/**
 * The text with every secret replaced by its marker, also those that are `known` from elsewhere. Redacting again changes
 * nothing; JSON stays JSON.
 */
export function redactText(
  text: string,
  mark: Marker = marker,
  known: readonly KnownSecret[] = [],
): { redacted: string; found: Found[] } {
  const found = located(text, known)
  if (found.length === 0) return { redacted: text, found }
  let redacted = ''
  let copied = 0
  for (const { type, start, end, quote } of found) {
    redacted += text.slice(copied, start) + quote + mark(type) + quote
    copied = end
  }
  return { redacted: redacted + text.slice(copied), found: found.map(({ type, start, end }) => ({ type, start, end })) }
}

interface Located extends Found {
  readonly quote: string
}

function located(text: string, known: readonly KnownSecret[] = []): Located[] {
  const view = viewOf(text)
  const { found } = scan(view, 0, true)
  if (found.length === 0 && known.length === 0) return []
  const scanned = found.map((each) => ({ ...each, quote: each.quote ?? '' }))
  const listed = findKnown(view.text, known).map((each) => ({ ...each, quote: '' }))
  return joined(scanned, listed).map(({ type, start, end, quote }) => ({
    type,
    start: view.rawStart(start),
    end: view.rawEnd(end),
    quote,
  }))
}

/** What overlaps becomes one; a finder knows the type better than the file that the text is known from. */
function joined(scanned: readonly Located[], listed: readonly Located[]): readonly Located[] {
  if (listed.length === 0) return scanned
  const typed = new Set(scanned)
  const all: Located[] = []
  for (const next of [...scanned, ...listed].sort((one, other) => one.start - other.start)) {
    const last = all.at(-1)
    if (!last || next.start >= last.end) {
      all.push(next)
      continue
    }
    const one = { ...(typed.has(last) ? last : next), start: last.start, end: Math.max(last.end, next.end) }
    if (typed.has(last) || typed.has(next)) typed.add(one)
    all[all.length - 1] = one
  }
  return all
}
