import { entropy } from './checks/entropy.ts'
import { isPlaceholder } from './checks/placeholder.ts'
import { isInMarker } from './marker.ts'
import type { View } from './view.ts'

/**
 * One token format, as data. The pattern describes the whole token and is tried where a keyword stands; keep it linear: bounded
 * quantifiers, no quantifier inside another over the same characters, never a line break.
 */
export interface Rule {
  readonly type: string
  readonly keywords: readonly string[]
  /** A group named `secret`, which must close the pattern, limits what is replaced. */
  readonly pattern: RegExp
  /** The characters of the token that may stand before its keyword, and how many at most. */
  readonly lead?: { readonly of: RegExp; readonly most: number }
  /** Distinct enough to be a token even in the middle of a word. */
  readonly glued?: boolean
  /** Bits per character below which it is a placeholder (3 for long tokens, 2.5 for short ones). */
  readonly entropy?: number
  /** Structure that a pattern cannot express: a checksum, a decoded header, a word nearby. */
  readonly accept?: (secret: string, place: Place) => boolean
}

export interface Place {
  readonly text: string
  readonly start: number
  readonly end: number
}

export function finderOf(rule: Rule): Finder {
  let patterns: { part: RegExp; whole: RegExp } | undefined
  const most = Math.min(rule.lead?.most ?? 0, LEAD)
  return {
    keywords: rule.keywords,
    find(view, at) {
      const { text } = view
      let start = at
      while (rule.lead && start > 0 && at - start < most && rule.lead.of.test(text[start - 1]!)) start--
      if (!rule.glued && !startsToken(view, start)) return undefined
      patterns ??= patternsOf(rule)
      const match = matchAt(patterns.whole, text, start) ?? matchUpToJoint(patterns.part, view, start)
      if (match === undefined) return undefined
      const end = start + match[0].length
      const secret = match.groups?.['secret'] ?? match[0]
      const found: Finding = { type: rule.type, start: end - secret.length, end }
      const place = { text, start: found.start, end }
      return isCredible(rule, secret) && (rule.accept?.(secret, place) ?? true) ? found : undefined
    },
  }
}

/** Made for the first keyword that is met: most processes meet few. */
function patternsOf({ pattern: { source, flags }, keywords }: Rule): { part: RegExp; whole: RegExp } {
  const sticky = `${flags.replace(/[gy]/g, '')}y`
  // A token ends where its word ends, or where another of its kind begins.
  const next = keywords.map((keyword) => `|(?=${keyword.replace(/[^\w-]/g, '\\$&')})`).join('')
  return {
    part: new RegExp(source, sticky),
    whole: new RegExp(`(?:${source})(?:(?![A-Za-z0-9])${next})`, sticky),
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}

function matchUpToJoint(pattern: RegExp, view: View, at: number): RegExpExecArray | undefined {
  const match = view.joints.size > 0 ? matchAt(pattern, view.text, at) : undefined
  return match && view.joints.has(at + match[0].length) ? match : undefined
}

function isCredible(rule: Rule, secret: string): boolean {
  const lower = secret.toLowerCase()
  const prefix = rule.keywords.find((keyword) => lower.startsWith(keyword.toLowerCase()))
  const body = secret.slice(prefix?.length ?? 0)
  return entropy(body) >= (rule.entropy ?? (body.length >= 20 ? 3 : 2.5)) && !isPlaceholder(body)
}

/** The character before is no part of a longer word. The letter of an escape (`\n`, `%3D`) is none; a marker is. */
function startsToken(view: View, start: number): boolean {
  const { text } = view
  if (text[start - 1] === ']' && isInMarker(text, start - 1)) return false
  if (start === 0 || !isWord(text.charCodeAt(start - 1)) || view.joints.has(start)) return true
  if (text[start - 2] === '\\' && 'nrtbfv'.includes(text[start - 1]!)) return true
  return text[start - 3] === '%' && /^[0-9A-Fa-f]{2}$/.test(text.slice(start - 2, start))
}

function isWord(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}

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
 * One way to recognise a secret. It runs only where one of its keywords stands, so a keyword is what makes a rule cheap.
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
