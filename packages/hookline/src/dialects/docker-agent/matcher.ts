import type { MatchTest, TextTest, Where } from '../../core/index.ts'

/** A regex of the whole tool name; `*`, nothing and an empty text match all tools. */
export function decodeMatcher(matcher: unknown, where: Where): MatchTest[] {
  if (typeof matcher !== 'string' || matcher === '' || matcher === '*') return []
  const names = matcher.split('|')
  const plain = names.every((name) => /^[^\\^$.|?*+()[\]{}]+$/.test(name))
  return [{ facet: 'tool', test: plain ? { names } : { regex: matcher, whole: true }, where }]
}

export function encodeMatcher(test: TextTest): string {
  if ('any' in test) return '*'
  if ('regex' in test) return test.whole ? test.regex : `(?s:.*)(?:${test.regex})(?s:.*)`
  const prefixes = (test.prefixes ?? []).map((prefix) => `${escaped(prefix)}(?s:.*)`)
  return [...test.names.map(escaped), ...prefixes].join('|')
}

const escaped = (name: string) => name.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')
