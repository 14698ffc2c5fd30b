import { didYouMean, type Note, note, type Source } from '../../core/index.ts'
import { type Path, unknownKeys } from '../common/config.ts'

/** What people write beside their hooks for other people. It says nothing to Claude Code, and nobody expects it to. */
const remarks = new Set(
  'id name label title description desc comment comments note notes doc docs summary author version tags category'.split(
    ' ',
  ),
)

/** `"//"`, `"_comment"`, `"$schema"`: JSON has no comments, so people write them as keys. */
const isComment = (key: string) => /^(?:\W|_)/.test(key)

/**
 * Claude Code ignores keys it does not know. One that is nearly the name of another is a mistake; any other is worth a
 * remark, unless it is plainly for people.
 */
export function strayKeys(
  value: Record<string, unknown>,
  known: readonly string[],
  elsewhere: readonly string[],
  at: Path,
  source: Source,
): Note[] {
  const stray = Object.keys(value).filter((key) => !known.includes(key) && !isComment(key) && !remarks.has(key))
  return stray.flatMap((key) => {
    const misspelt = !elsewhere.includes(key) && didYouMean(key, known) !== ''
    if (misspelt) return unknownKeys({ [key]: true }, known, at, source)
    return [note('key-ignored', { key, dialect: 'claude-code' }, { where: source.locate([...at, key]) })]
  })
}

/** A text under `hooks` is a remark for people too; a list is hooks for an event that there is not. */
export const isRemark = (key: string, value: unknown): boolean =>
  typeof value !== 'object' && (isComment(key) || remarks.has(key))
