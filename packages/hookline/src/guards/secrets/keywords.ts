/** Finds many words in one pass, without regard to ASCII case. */
export interface KeywordIndex {
  readonly search: Search
  readonly longest: number
}

/** Calls `hit(word, start)` for every occurrence that begins at or after `from`. */
type Search = (text: string, from: number, hit: (word: number, start: number) => void) => void

/** After so many characters the automaton has earned what it costs to build, which is as much as the start of a process. */
const worthwhile = 32_768

/** `folded`: the words in small letters. */
export function indexKeywords(folded: readonly string[]): KeywordIndex {
  const byHand = searchByPairs(folded)
  let automaton: Search | undefined
  let read = 0
  return {
    longest: folded.reduce((longest, word) => Math.max(longest, word.length), 0),
    search(text, from, hit) {
      read += text.length - from
      if (read > worthwhile) automaton ??= searchByAutomaton(folded)
      const search = automaton ?? byHand
      search(text, from, hit)
    },
  }
}

/** By the first two characters of each word, or its only one: quickly made, and quick enough for a page of text. */
export function searchByPairs(folded: readonly string[]): Search {
  const byStart = new Map<number, number[]>()
  /** Whether a word starts so: one look at a table for nearly every character of a text. */
  const starts = new Uint8Array(1 << 14)
  folded.forEach((word, index) => {
    const start = startOf(word.charCodeAt(0), word.length === 1 ? 0 : word.charCodeAt(1))
    const known = byStart.get(start)
    if (known) known.push(index)
    else byStart.set(start, [index])
    starts[start] = 1
  })
  return (text, from, hit) => {
    const tryAt = (start: number, at: number) => {
      for (const word of byStart.get(start)!) if (standsAt(folded[word]!, text, at)) hit(word, at)
    }
    let code = fold(text.charCodeAt(from))
    for (let at = from; at < text.length; at++) {
      const next = fold(text.charCodeAt(at + 1))
      if (code < 128) {
        if (starts[code << 7] === 1) tryAt(startOf(code, 0), at)
        if (next > 0 && next < 128 && starts[(code << 7) | next] === 1) tryAt(startOf(code, next), at)
      }
      code = next
    }
  }
}

const startOf = (code: number, next: number): number => (code << 7) | next

const fold = (code: number): number => (code >= 65 && code <= 90 ? code | 32 : code)

function standsAt(word: string, text: string, at: number): boolean {
  for (let i = 1; i < word.length; i++) if (fold(text.charCodeAt(at + i)) !== word.charCodeAt(i)) return false
  return true
}

/** Aho–Corasick as a flat table: one look-up per character however many words there are. */
export function searchByAutomaton(folded: readonly string[]): Search {
  const letters = [...new Set(folded.join(''))]
  const width = letters.length + 1
  const column = new Uint8Array(128)
  letters.forEach((letter, i) => {
    column[letter.charCodeAt(0)] = i + 1
    column[letter.toUpperCase().charCodeAt(0)] = i + 1
  })

  const states = 1 + folded.reduce((sum, word) => sum + word.length, 0)
  const next = new Uint16Array(states * width)
  const endings: number[][] = [[]]
  let last = 0
  folded.forEach((word, index) => {
    let state = 0
    for (let i = 0; i < word.length; i++) {
      const cell = state * width + column[word.charCodeAt(i)]!
      if (next[cell] === 0) {
        next[cell] = ++last
        endings[last] = []
      }
      state = next[cell]!
    }
    endings[state]!.push(index)
  })

  // Breadth first: where a word breaks off, continue as its longest proper suffix would.
  const fallback = new Uint16Array(last + 1)
  const queue: number[] = []
  for (let c = 1; c < width; c++) if (next[c] !== 0) queue.push(next[c]!)
  for (let head = 0; head < queue.length; head++) {
    const state = queue[head]!
    for (let c = 1; c < width; c++) {
      const follow = next[fallback[state]! * width + c]!
      const child = next[state * width + c]!
      if (child === 0) {
        next[state * width + c] = follow
        continue
      }
      fallback[child] = follow
      endings[child]!.push(...endings[follow]!)
      queue.push(child)
    }
  }

  // A cell holds the offset of the next row and, in its lowest bit, whether a word ends there: one look-up per character.
  const table = new Uint32Array((last + 1) * width)
  for (let cell = 0; cell < table.length; cell++) {
    const state = next[cell]!
    table[cell] = state * width * 2 + (endings[state]!.length > 0 ? 1 : 0)
  }

  return (text, from, hit) => {
    let cell = 0
    for (let i = from; i < text.length; i++) {
      const code = text.charCodeAt(i)
      cell = code < 128 ? table[(cell >> 1) + column[code]!]! : 0
      if ((cell & 1) === 0) continue
      for (const word of endings[(cell >> 1) / width]!) hit(word, i + 1 - folded[word]!.length)
    }
  }
}
