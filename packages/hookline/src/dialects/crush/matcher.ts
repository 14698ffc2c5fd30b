import type { MatchTest, TextTest, Where } from '../../core/index.ts'

/** "Regex tested against the tool name", found anywhere in it: `bash` also matches `bash_output`. None matches all. */
export function decodeMatcher(matcher: string, where: Where): MatchTest[] {
  if (matcher === '') return []
  const names = wholeNames.exec(matcher)?.slice(1).find(Boolean)?.split('|')
  return [{ facet: 'tool', test: names ? { names } : { regex: matcher, whole: false }, where }]
}

export function encodeMatcher(test: TextTest): string {
  if ('any' in test) return ''
  if ('regex' in test) return test.whole ? `^(?:${test.regex})$` : test.regex
  const prefixes = test.prefixes ?? []
  const names = test.names.map(escaped)
  if (prefixes.length > 0) return `^(${[...names.map((name) => `${name}$`), ...prefixes.map(escaped)].join('|')})`
  return names.length === 1 ? `^${names[0]}$` : `^(${names.join('|')})$`
}

/** Anchored at both ends and nothing but names: no regex engine is needed to test that. */
const wholeNames = /^\^(?:([\w-]+)|\((?:\?:)?([\w-]+(?:\|[\w-]+)*)\))\$$/

const escaped = (name: string) => name.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')
