/**
 * Finds many words in one pass (Aho–Corasick), without regard to ASCII case. The automaton is a flat table: one look-up per character
 * however many words there are.
 */
export interface KeywordIndex {
  /** Calls `hit(word, start)` for every occurrence that begins at or after `from`. */
  search(text: string, from: number, hit: (word: number, start: number) => void): void
  readonly longest: number
}

export function indexKeywords(words: readonly string[]): KeywordIndex {
  const folded = words.map((word) => word.toLowerCase())
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

  return {
    longest: Math.max(...folded.map((word) => word.length)),
    search(text, from, hit) {
      let cell = 0
      for (let i = from; i < text.length; i++) {
        const code = text.charCodeAt(i)
        cell = code < 128 ? table[(cell >> 1) + column[code]!]! : 0
        if ((cell & 1) === 0) continue
        for (const word of endings[(cell >> 1) / width]!) hit(word, i + 1 - folded[word]!.length)
      }
    },
  }
}
