import { families } from './index.ts'

const ranksByWord = new Map<string, number[]>()
const ranks: number[] = []
let rank = 0
for (const family of families) {
  ranks.push(rank)
  for (const { keywords } of family()) {
    for (const word of new Set(keywords.map((keyword) => keyword.toLowerCase())))
      ranksByWord.set(word, [...(ranksByWord.get(word) ?? []), rank])
    rank++
  }
}

/*
 * What the rules ask for, without them: to find that there is no secret in a text takes all keywords, and no rule. In the
 * command line stands here what it comes to (scripts/known.mjs).
 */

/** The keywords of all finders, in small letters. */
export const words: readonly string[] = [...ranksByWord.keys()]
/** For each of them, the ranks of the finders to ask. */
export const finderRanks: readonly (readonly number[])[] = [...ranksByWord.values()]
/** The rank of the first finder of each family. */
export const firstRanks: readonly number[] = ranks
