import { families } from './index.ts'

/**
 * The keywords of every finder of every family, in small letters. In the command line stands here what they come to (scripts/known.mjs):
 * to find that there is no secret in a text takes all keywords, and no rule.
 */
export const keywords: readonly (readonly (readonly string[])[])[] = families.map((family) =>
  family().map((finder) => finder.keywords.map((keyword) => keyword.toLowerCase())),
)
