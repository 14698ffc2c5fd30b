/** The text that stands for a secret. Typed, so that a reader knows what was there; never matched again. */
export const marker = (type: string): string => `[REDACTED:${type}]`

export const MARKER_OPEN = '[REDACTED:'
const LONGEST_MARKER = 64

/**
 * A marker glued to a secret counts as part of the word. Otherwise replacing one token would uncover a boundary for its neighbour,
 * and redacting twice would not equal redacting once.
 */
export function touchesMarker(text: string, start: number, end: number): boolean {
  if (text.startsWith(MARKER_OPEN, end)) return true
  const open = text.lastIndexOf(MARKER_OPEN, end - 1)
  if (open === -1 || open < start - LONGEST_MARKER) return false
  if (open >= start) return true
  const close = text.indexOf(']', open)
  return close === start - 1 || close >= start
}
