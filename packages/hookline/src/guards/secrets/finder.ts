import type { View } from './view.ts'

/** What one finder saw, in offsets of the view: the characters that would be replaced. */
export interface Finding {
  readonly type: string
  readonly start: number
  readonly end: number
  /** Set when a bare marker would break the syntax around it (a byte array in JSON needs a quoted one). */
  readonly quote?: string
}

/** Answer of a multi-line finder whose subject runs past the text seen so far. */
export const MORE = Symbol('more text is needed')

/**
 * One way to recognise a secret. It is asked only where one of its keywords stands, so a keyword is what makes a rule cheap.
 *
 * A finder that is not `multiline` reads nothing beyond the line of its keyword and nothing further than `WINDOW` characters from it:
 * that is what lets a stream decide a line as soon as it ends.
 */
export interface Finder {
  /** Compared without regard to case; the finder itself checks the case. */
  readonly keywords: readonly string[]
  readonly multiline?: boolean
  /** `complete` is false while more text may follow. */
  find(view: View, at: number, complete: boolean): Finding | undefined | typeof MORE
}

/** How far past its keyword a single-line finder may read. */
export const WINDOW = 16_384
/** How far before its keyword any finder may read. */
export const LOOKBACK = 2_048
/** How far before its keyword a secret may begin. */
export const LEAD = 96
