import { families } from './index.ts'

/** What the rules ask for, without them: to find that there is no secret in a text takes all keywords, and no rule. */
export interface Keywords {
  /** Of all finders, in small letters. */
  readonly words: readonly string[]
  /** For each word, the ranks of the finders to ask. */
  readonly ranks: readonly (readonly number[])[]
  /** The rank of the first finder of each family. */
  readonly firsts: readonly number[]
}

/** In the command line stands here what it comes to (scripts/known.mjs). */
export function readKeywords(): Keywords {
  const ranks = new Map<string, number[]>()
  const firsts: number[] = []
  let rank = 0
  for (const family of families) {
    firsts.push(rank)
    for (const { keywords } of family()) {
      for (const word of new Set(keywords.map((keyword) => keyword.toLowerCase())))
        ranks.set(word, [...(ranks.get(word) ?? []), rank])
      rank++
    }
  }
  return { words: [...ranks.keys()], ranks: [...ranks.values()], firsts }
}
