import type { MatchTest, Where } from '../../core/index.ts'

/** What `if` says: a permission rule such as `Bash(git *)`, as tests; or why it cannot be read. */
export type ReadRule = { ok: true; tests: MatchTest[]; unread?: string } | { ok: false; detail: string }

/**
 * `if` only spares asking, so where a rule cannot be tested exactly it is read more widely: a command anywhere in a
 * line of commands, and a path below any directory.
 */
export function readRule(rule: string, where: Where): ReadRule {
  const [, tool, spec] = /^([\w*-]+)(?:\((.*)\))?$/s.exec(rule.trim()) ?? []
  if (tool === undefined) return { ok: false, detail: `\`${rule}\` is not one permission rule such as \`Bash(git *)\`` }
  const tests: MatchTest[] = [{ facet: 'tool', test: toolTest(tool), where }]
  if (spec === undefined || spec === '' || spec === '*') return { ok: true, tests }
  const kind = kinds.find(({ tools }) => tools.includes(tool))
  if (!kind) return { ok: true, tests, unread: spec }
  const regex = kind.begins + kind.toRegex(spec) + kind.ends
  return { ok: true, tests: [...tests, { facet: 'args', path: [kind.argument], test: { regex, whole: false }, where }] }
}

/** The inverse, for tests that `readRule` made. */
export function writeRule(tool: MatchTest, argument: MatchTest): string | undefined {
  if (!('names' in tool.test) || tool.test.names.length !== 1 || !('regex' in argument.test)) return undefined
  const [name] = tool.test.names as [string]
  const { regex } = argument.test
  const kind = kinds.find(({ tools }) => tools.includes(name))
  if (!kind || argument.path?.join() !== kind.argument) return undefined
  if (!regex.startsWith(kind.begins) || !regex.endsWith(kind.ends)) return undefined
  const spec = kind.toSpec(regex.slice(kind.begins.length, regex.length - kind.ends.length))
  return kind.begins + kind.toRegex(spec) + kind.ends === regex ? `${name}(${spec})` : undefined
}

interface Kind {
  tools: readonly string[]
  argument: string
  begins: string
  ends: string
  toRegex(spec: string): string
  toSpec(regex: string): string
}

const commandKind: Kind = {
  tools: ['Bash', 'PowerShell'],
  argument: 'command',
  // At the beginning, or after whatever begins another command; variables may be set in front of it.
  begins: '(?s)(?:^|[;&|\\n(){}`])\\s*(?:\\w+=\\S*\\s+)*',
  ends: '\\s*(?:$|[;&|\\n(){}`<>])',
  // `git:*` is the older way to write a prefix; `git *` matches `git` alone too.
  toRegex: (spec) => globRegex(spec.replace(/:\*$/, ' *'), '.*').replace(/ \.\*$/, '(?: .*)?'),
  toSpec: (regex) => regexGlob(regex.replace(/\(\?: \.\*\)\?$/, ' .*'), '.*'),
}

const pathKind = (tools: readonly string[], argument: string): Kind => ({
  tools,
  argument,
  begins: '(?s)(?:^|/)',
  ends: '$',
  toRegex: (spec) => globRegex(spec.replace(/^(?:\.\/|~\/|\/+)/, ''), '.*'),
  toSpec: (regex) => regexGlob(regex, '.*'),
})

const kinds: readonly Kind[] = [
  commandKind,
  pathKind(['Edit', 'MultiEdit', 'Write', 'Read'], 'file_path'),
  pathKind(['NotebookEdit'], 'notebook_path'),
  pathKind(['Glob', 'Grep', 'LS'], 'path'),
  {
    tools: ['WebFetch'],
    argument: 'url',
    begins: '(?i)^[a-z]+://(?:[^/@]*@)?',
    ends: '(?:[:/?#]|$)',
    toRegex: (spec) => globRegex(spec.replace(/^domain:/, ''), '[^/:]*'),
    toSpec: (regex) => `domain:${regexGlob(regex, '[^/:]*')}`,
  },
]

function toolTest(tool: string): MatchTest['test'] {
  if (!tool.includes('*')) return /^mcp__[^_]+$/.test(tool) ? { names: [], prefixes: [`${tool}__`] } : { names: [tool] }
  return { regex: globRegex(tool, '.*'), whole: true }
}

const globRegex = (glob: string, star: string): string =>
  glob
    .split(/\*+/)
    .map((part) => part.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&'))
    .join(star)

const regexGlob = (regex: string, star: string): string =>
  regex
    .split(star)
    .map((part) => part.replace(/\\(.)/g, '$1'))
    .join('*')
