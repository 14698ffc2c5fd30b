import { marker } from './marker.ts'
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

/** The text with every secret replaced by its marker. Redacting again changes nothing; JSON stays JSON. */
export function redactText(text: string): { redacted: string; found: Found[] } {
  const found = located(text)
  let redacted = ''
  let copied = 0
  for (const { type, start, end, quote } of found) {
    redacted += text.slice(copied, start) + quote + marker(type) + quote
    copied = end
  }
  return { redacted: redacted + text.slice(copied), found: found.map(({ type, start, end }) => ({ type, start, end })) }
}

function located(text: string): (Found & { readonly quote: string })[] {
  const view = viewOf(text)
  return scan(view, 0, true).found.map(({ type, start, end, quote }) => ({
    type,
    start: view.rawStart(start),
    end: view.rawEnd(end),
    quote: quote ?? '',
  }))
}
