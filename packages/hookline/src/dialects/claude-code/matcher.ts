import type { EventName, MatchTest, Note, TextTest, Where } from '../../core/index.ts'
import { note } from '../../core/index.ts'
import { ourValues, rowOf, theirName } from './names.ts'

export interface ReadMatcher {
  tests: MatchTest[]
  notes: Note[]
}

/**
 * Only letters, digits, `_`, `-`, spaces, `,` and `|`: exact names. Anything else is a regex that may match anywhere.
 * Nothing, an empty text and `*` match all.
 */
export function decodeMatcher(matcher: string, event: EventName, where: Where): ReadMatcher {
  const { matches } = rowOf(event)
  if (matcher === '' || matcher === '*') return { tests: [], notes: [] }
  if (matches === undefined) {
    const detail = `${theirName(event)} has nothing to match`
    return { tests: [], notes: [note('matcher-ignored', { detail }, { where })] }
  }
  const names = /^[\w\- ,|]+$/.test(matcher) ? matcher.split(/[|,]/).map((name) => name.trim()) : undefined
  const excluded = names ? undefined : exclusion(matcher)
  const test: TextTest = names
    ? { names: names.filter(Boolean).flatMap((name) => ourValues(event, name)) }
    : { regex: excluded ?? matcher, whole: false }
  const notes = (names ?? []).filter((name) => /^mcp__[^_]+$/.test(name)).map((name) => serverOnly(name, where))
  const negate = excluded === undefined ? {} : { negate: true }
  if (typeof matches === 'string') return { tests: [{ facet: matches, test, ...negate, where }], notes }
  return { tests: [{ facet: 'text', test: inField(matches.field, test), ...negate, where }], notes }
}

/**
 * `^(?!Read$|Glob$).*` means all but these. Patterns here have no look-ahead, but a test can be turned round; undefined for
 * any other pattern.
 */
function exclusion(pattern: string): string | undefined {
  const [, inner] = /^\^\(\?!((?:[^()\\]|\\.|\([^()]*\))*)\)(?:\.[*+]\$?)?$/.exec(pattern) ?? []
  return inner === undefined ? undefined : `^(?:${inner})`
}

/** The inverse; undefined when there is none. */
export function encodeMatcher(tests: readonly MatchTest[], event: EventName): string | undefined {
  const { matches } = rowOf(event)
  const [test, ...more] = tests
  if (test === undefined) return ''
  if (more.length > 0 || test.negate || test.facet !== (typeof matches === 'string' ? matches : 'text'))
    return undefined
  if (typeof matches === 'object') return 'regex' in test.test ? outOfField(matches.field, test.test.regex) : undefined
  return written(test.test, event)
}

function written(test: TextTest, event: EventName): string | undefined {
  if ('any' in test) return ''
  if ('regex' in test) return test.whole ? `^(?:${test.regex})$` : test.regex
  const theirs = foldValues(test.names, event)
  const plain = theirs.every((name) => /^[\w-]+$/.test(name))
  if (plain && !test.prefixes?.length) return theirs.join('|')
  const prefixes = (test.prefixes ?? []).map((prefix) => `${escaped(prefix)}.*`)
  return `^(?:${[...theirs.map(escaped), ...prefixes].join('|')})$`
}

/** Several values of ours may have one name there: `auto`. */
function foldValues(names: readonly string[], event: EventName): string[] {
  const auto = ourValues(event, 'auto')
  if (auto.length === 1 || !auto.every((value) => names.includes(value))) return [...names]
  return [...new Set(names.map((name) => (auto.includes(name) ? 'auto' : name)))]
}

/** A field that no facet shows is looked for in the JSON text of the payload, where only a key can stand like this. */
function inField(field: string, test: TextTest): TextTest {
  if ('names' in test) return { regex: `"${field}":"(?:${test.names.map(escaped).join('|')})"`, whole: false }
  const pattern = 'regex' in test ? test.regex : ''
  const inner = `${pattern.startsWith('^') ? '' : '[^"]*'}(?:${pattern.replace(/^\^|\$$/g, '')})`
  return { regex: `"${field}":"${inner}${pattern.endsWith('$') ? '' : '[^"]*'}"`, whole: false }
}

function outOfField(field: string, regex: string): string | undefined {
  const [, begins, names, ends] = /^"(?:\w+)":"(\[\^"\]\*)?\(\?:(.*)\)(\[\^"\]\*)?"$/s.exec(regex) ?? []
  if (names === undefined || !regex.startsWith(`"${field}":`)) return undefined
  if (!begins && !ends && /^[\w|-]+$/.test(names)) return names
  return `${begins ? '' : '^'}${names}${ends ? '' : '$'}`
}

const escaped = (name: string) => name.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')

const serverOnly = (name: string, where: Where) =>
  note(
    'matcher-dead',
    { detail: `\`${name}\` is a server, and no tool has that name`, fix: `Write \`${name}__.*\` for all its tools.` },
    { where },
  )

/** What `if` says: a permission rule such as `Bash(git *)`, as tests; or why it cannot be read. */
export type ReadRule = { ok: true; tests: MatchTest[]; unread?: string } | { ok: false; detail: string }

/**
 * `if` only spares asking, so where a rule cannot be tested exactly it is read more widely: a command anywhere in a
 * line of commands, and a path below any directory.
 */
export function readRule(rule: string, where: Where): ReadRule {
  const [, tool, spec] = /^([\w*-]+)(?:\((.*)\))?$/s.exec(rule.trim()) ?? []
  if (tool === undefined || (spec !== undefined && several.test(spec)))
    return { ok: false, detail: `\`${rule}\` is not one permission rule such as \`Bash(git *)\`` }
  const tests: MatchTest[] = [{ facet: 'tool', test: toolTest(tool), where }]
  if (spec === undefined || spec === '' || spec === '*') return { ok: true, tests }
  const kind = kinds.find(({ tools }) => tools.includes(tool))
  if (!kind) return { ok: true, tests, unread: spec }
  const regex = kind.begins + kind.toRegex(spec) + kind.ends
  return { ok: true, tests: [...tests, { facet: 'args', path: [kind.argument], test: { regex, whole: false }, where }] }
}

/** `Bash(git *) || Bash(npm *)`: taken for one rule, it would match nothing at all. */
const several = /\)\s*(?:\|\|?|&&?|,|\bor\b|\band\b)\s*[\w*-]+\(/

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
