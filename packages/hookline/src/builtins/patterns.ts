import * as z from 'zod/mini'
import { HookFailure, matchesStars } from '../core/index.ts'
import type { Pattern } from '../core/regex.ts'

/** A pattern that a person wrote (RE2 syntax). Checked here as far as that needs no engine; the rest shows at first use. */
export const pattern = z.string().check(
  z.minLength(1),
  z.refine((source) => problemOf(source) === undefined, { error: (issue) => problemOf(String(issue.input)) ?? '' }),
)

const compiled = new Map<string, Pattern>()

/** The engine is loaded when the first pattern is used. */
export async function compile(source: string): Promise<Pattern> {
  const known = compiled.get(source)
  if (known) return known
  const { compilePattern } = await import('../core/regex.ts')
  const made = compilePattern(source, false)
  if (!made.ok) throw new HookFailure('spawn', `The pattern \`${source}\` cannot be used: ${made.detail}.`)
  compiled.set(source, made.pattern)
  return made.pattern
}

export async function anyMatches(sources: readonly string[], texts: readonly string[]): Promise<boolean> {
  const patterns = await Promise.all(sources.map(compile))
  return patterns.some((each) => texts.some((text) => each.test(text)))
}

function problemOf(source: string): string | undefined {
  if (/\(\?<?[=!]/.test(source)) return 'uses look-ahead or look-behind, which patterns here cannot'
  if (/\\[1-9]/.test(source)) return 'uses a back-reference, which patterns here cannot'
  try {
    new RegExp(source.replace(/^\(\?[imsU]+\)/, ''))
    return undefined
  } catch {
    return 'is not a regular expression'
  }
}

/** Names of tools as people list them: `shell`, `mcp__*`. Case does not count. */
export function matchesName(globs: readonly string[], name: string): boolean {
  return globs.some((glob) => matchesStars(glob.toLowerCase(), name.toLowerCase()))
}
