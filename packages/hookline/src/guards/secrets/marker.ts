/** The text that stands for a secret. Typed, so that a reader knows what was there; never matched again. */
export const marker: Marker = (type) => `${MARKER_OPEN}:${type}]`

/** Some systems write the same for every type; that is never matched again either. */
export const plainMarker = '[REDACTED]'

/** What to write for a secret of this type. */
export type Marker = (type: string) => string

export const MARKER_OPEN = '[REDACTED'
export const LONGEST_MARKER = 64
const MARKER = /\[REDACTED(?::[a-z0-9-]{1,48})?\]/y
const ANY_MARKER = /\[REDACTED(?::[a-z0-9-]{1,48})?\]/

/** Whether the character at `at` belongs to a marker: the name of a type is no context for what follows it. */
export function isInMarker(text: string, at: number): boolean {
  const near = Math.max(0, at - LONGEST_MARKER)
  const open = text.slice(near, at + MARKER_OPEN.length).lastIndexOf(MARKER_OPEN)
  if (open === -1) return false
  MARKER.lastIndex = near + open
  return MARKER.test(text) && MARKER.lastIndex > at
}

/**
 * A marker glued to a secret counts as part of the word. Otherwise replacing one token would uncover a boundary for its neighbour,
 * and redacting twice would not equal redacting once.
 */
export const touchesMarker = (text: string, start: number, end: number): boolean =>
  isInMarker(text, start - 1) || isInMarker(text, end) || ANY_MARKER.test(text.slice(start, end))
