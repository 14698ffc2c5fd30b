import { marker } from './marker.ts'
import { LOOKBACK } from './rule.ts'
import { scan } from './scan.ts'
import { viewOf } from './view.ts'

/** Redacts a text that arrives in pieces. All that `push` and `end` return, joined, is what `redactText` makes of the whole. */
export interface Redactor {
  push(chunk: string): string
  end(): string
  /** What arrived and was not given out yet, as it is. */
  undecided(): string
}

/** Below this a scan per piece is cheap; above it scans wait until a quarter more has arrived, so that the sum stays linear. */
const EAGER = 4_096

/**
 * Keeps only what is undecided: an unfinished line that holds a keyword (at most 16 K of it), an unfinished key block, or the last
 * few words.
 */
export function createRedactor(): Redactor {
  let raw = ''
  let due = 0
  // What was given out already, as the finders see it: they may look back at it.
  let context = ''
  let before = ''
  let joint = false
  // How much of `raw` belongs to a secret whose marker was given out.
  let swallowed = 0

  function advance(complete: boolean): string {
    const seen = viewOf(raw, complete, before)
    const base = context.length
    const joints = new Set([...seen.joints].map((offset) => offset + base))
    if (joint) joints.add(base)
    const view = { ...seen, text: context + seen.text, joints }
    const { found, frontier } = scan(view, base, complete)

    let out = ''
    let copied = swallowed
    for (const { type, start, end, quote = '' } of found) {
      if (start >= frontier && !complete) break
      const rawStart = seen.rawStart(start - base)
      const rawEnd = seen.rawEnd(end - base)
      if (rawStart >= copied) out += raw.slice(copied, rawStart) + quote + marker(type) + quote
      copied = Math.max(copied, rawEnd)
    }
    const cut = complete ? raw.length : seen.rawStart(frontier - base)
    out += raw.slice(copied, cut)

    swallowed = Math.max(0, copied - cut)
    joint = joints.has(frontier)
    context = view.text.slice(Math.max(0, frontier - LOOKBACK), frontier)
    before = raw[cut - 1] ?? before
    raw = raw.slice(cut)
    due = raw.length > EAGER ? raw.length * 1.25 : 0
    return out
  }

  return {
    push(chunk) {
      raw += chunk
      return raw.length < due ? '' : advance(false)
    },
    end: () => advance(true),
    undecided: () => raw,
  }
}
