import type { RuleEntry } from '../../core/index.ts'

export const decisions = ['deny', 'ask', 'allow'] as const
export type Ruled = (typeof decisions)[number]

/** One line of a permission list: the rule that says the same, or why there is none. */
export type Imported = { said: string; rule: RuleEntry } | { said: string; lost: string }

/** `Name(what)` or `Name`, as Claude Code, Qwen Code, Gemini CLI and Cursor write what a permission is about. */
export function permission(said: string, ruled: Ruled): Imported {
  const [, name = '', what] = /^([\w-]+)(?:\((.*)\))?$/s.exec(said.trim()) ?? []
  const kind = kinds.find(({ names }) => names.test(name))
  const lost = (why: string): Imported => ({ said, lost: why })
  if (!kind)
    return /^mcp__/.test(said.trim())
      ? ruleOf(said, ruled, { tool: said.trim() })
      : lost('it names a tool that rules do not know')
  if (what === undefined || what === '' || what === '*')
    return ruled === 'allow'
      ? lost('it allows every call of a tool; allow what you mean: hookline allow "…"')
      : ruleOf(said, ruled, { tool: name })
  return kind.about(said, what.trim(), ruled)
}

const kinds: { names: RegExp; about(said: string, what: string, ruled: Ruled): Imported }[] = [
  { names: /^(?:Bash|Shell|ShellTool|run_shell_command)$/, about: (said, what, ruled) => command(said, what, ruled) },
  { names: /^(?:Read|read_file|ReadFileTool)$/, about: (said, what, ruled) => file(said, 'read', what, ruled) },
  {
    names: /^(?:Edit|Write|MultiEdit|write_file|edit|replace|WriteFileTool)$/,
    about: (said, what, ruled) => file(said, 'write', what, ruled),
  },
  {
    names: /^(?:WebFetch|web_fetch)$/,
    about: (said, what, ruled) => ruleOf(said, ruled, { fetch: what.replace(/^domain:/, '') }),
  },
]

/**
 * A command as those lists write it: `git push:*` and `git push *` mean that more words may follow, `npm*` that the word
 * may go on too. What denies and asks matches with more words in any case; what allows does not without a star.
 */
export function command(said: string, written: string, ruled: Ruled): Imported {
  const stem = written.replace(/(?::\*| \*)$/, '').trim()
  if (/^[\s*:]*$/.test(stem)) return { said, lost: 'it is about every command' }
  const isOpen = stem !== written.trim() || stem.endsWith('*')
  return ruleOf(said, ruled, { run: ruled === 'allow' && isOpen ? [stem, `${stem} *`] : stem })
}

/** A path as those lists write it: `//x` is absolute, and a name alone is meant wherever it lies. */
export function file(said: string, action: 'read' | 'write', written: string, ruled: Ruled): Imported {
  if (/^\/(?!\/)/.test(written)) return { said, lost: 'it is relative to the file that it stands in' }
  const path = written.replace(/^\/\//, '/').replace(/^\.\//, '')
  return ruleOf(said, ruled, { [action]: /[/~]/.test(path) ? path : `**/${path}` })
}

export const ruleOf = (said: string, ruled: Ruled, about: Readonly<Record<string, unknown>>): Imported => ({
  said,
  rule: { [ruled]: about } as unknown as RuleEntry,
})
