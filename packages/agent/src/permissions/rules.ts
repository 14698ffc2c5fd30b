import { matchesGlob } from 'hookline/internal'

export const rulings = ['allow', 'ask', 'deny'] as const

/** Patterns such as `shell`, `mcp_github_*` or `shell:command=git *`. Deny beats ask beats allow. */
export interface PermissionRules {
  allow: readonly string[]
  ask: readonly string[]
  deny: readonly string[]
}

export const noRules: PermissionRules = { allow: [], ask: [], deny: [] }

/** One pattern, taken apart: the tool, and what must hold of its arguments. */
export interface Rule {
  text: string
  tool: string
  conditions: readonly Condition[]
}

export interface Condition {
  key: string
  glob: string
}

/**
 * docker-agent's form, `tool:key=glob:key=glob`. Only `:key=` separates, so that tool names and values may hold colons: `mcp:github:*`,
 * `fetch:url=https://*`.
 */
export function parseRule(text: string): Rule {
  const [tool = '', ...rest] = text.trim().split(/:(\w+)=/)
  const conditions: Condition[] = []
  for (let at = 0; at < rest.length; at += 2) conditions.push({ key: rest[at] ?? '', glob: rest[at + 1] ?? '' })
  return { text, tool: tool.replaceAll(':', '_'), conditions }
}

/** Text that a pattern means literally. */
export const literally = (text: string): string => text.replace(/[*?[]/g, '[$&]')

export const isLiteral = (glob: string): boolean => !/[*?[]/.test(glob)

/** Whoever forbids is understood generously: `Sudo*` means `sudo` too. */
export const matchesLoosely = (glob: string, text: string): boolean =>
  matchesGlob(glob.toLowerCase(), text.toLowerCase())

/**
 * Whoever allows is taken at their word. A command pattern that ends in a star right behind a word ends at that word: `ls*` allows
 * `ls -l`, and not `lsof`.
 */
export function matchesCommandStrictly(glob: string, text: string): boolean {
  const word = /^(.*[^\s*?])\*$/s.exec(glob)?.[1]
  if (word === undefined || !isLiteral(word)) return matchesGlob(glob, text)
  return matchesGlob(word, text) || matchesGlob(`${word} *`, text)
}
