import type { EventName, Facet, MatchTest, Note, TextTest, Where } from '../../core/index.ts'
import { didYouMean, eventNames, eventRow, note } from '../../core/index.ts'
import { allowedValues, nearMiss, readGlob, readPattern } from './names.ts'
import type { Matcher } from './schema.ts'

export interface DecodedMatcher {
  tests: MatchTest[]
  problems: Note[]
  notes: Note[]
}

/** Finds where a key of the matcher is written. */
type Locate = (path: readonly (string | number)[]) => Where

/** Every key of a matcher but `args`: what it looks at, and how its text is read. */
const readers = {
  tool: { facet: 'tool', read: readPattern },
  tool_glob: { facet: 'tool', read: readGlob },
  agent: { facet: 'agent', read: readPattern },
  source: { facet: 'source', read: readPattern },
} as const

export function decodeMatcher(matcher: Matcher, event: EventName, locate: Locate): DecodedMatcher {
  const decoded: DecodedMatcher = { tests: [], problems: [], notes: [] }
  decodeNames('tool')
  decodeNames('tool_glob')
  decodeArguments()
  decodeNames('agent')
  decodeNames('source')
  decoded.problems.push(...contradictions(decoded.tests))
  return decoded

  function decodeNames(key: keyof typeof readers): void {
    const pattern = matcher[key]
    if (pattern === undefined) return
    const where = locate([key])
    const { facet, read } = readers[key]
    if (!hasSubject(facet, key, where)) return
    const result = read(pattern)
    const flaw = result.ok ? impossibleName(result.test, event, facet) : result
    if (flaw) dead(flaw.detail, flaw.fix, where)
    if (!result.ok || flaw) return
    const prefix = nearMiss(result.test)
    if (prefix !== undefined) decoded.notes.push(note('matcher-looks-like-glob', { pattern, prefix }, { where }))
    decoded.tests.push({ facet, test: result.test, where })
  }

  function decodeArguments(): void {
    if (matcher.args === undefined || !hasSubject('args', 'args', locate(['args']))) return
    const several = Array.isArray(matcher.args)
    for (const [index, entry] of [matcher.args].flat().entries()) {
      const at = several ? ['args', index] : ['args']
      const parsed = parsePath(entry.path)
      if (!parsed.ok) {
        const where = locate([...at, 'path'])
        decoded.problems.push(note('matcher-path', { path: entry.path, detail: parsed.detail }, { where }))
        continue
      }
      const { path } = parsed
      const test = (key: 'matches' | 'not_matches'): TextTest => ({ regex: entry[key]!, whole: false })
      if (entry.matches !== undefined)
        decoded.tests.push({ facet: 'args', path, test: test('matches'), where: locate([...at, 'matches']) })
      if (entry.not_matches !== undefined)
        decoded.tests.push({
          facet: 'args',
          path,
          test: test('not_matches'),
          negate: true,
          where: locate([...at, 'not_matches']),
        })
      if (entry.matches === undefined && entry.not_matches === undefined)
        decoded.tests.push({ facet: 'args', path, test: { any: true }, where: locate([...at, 'path']) })
    }
  }

  function hasSubject(facet: Facet, key: string, where: Where): boolean {
    if (eventRow(event).subject[facet] !== undefined) return true
    const others = eventNames.filter((name) => eventRow(name).subject[facet] !== undefined)
    dead(
      `${event} has no ${subjectWords[facet]} to look at`,
      `Remove \`${key}\`, or move the hook to an event that has one: ${others.join(', ')}.`,
      where,
    )
    return false
  }

  function dead(detail: string, fix: string, where: Where): void {
    decoded.problems.push(note('matcher-dead', { detail, fix }, { where }))
  }
}

const subjectWords: Record<Facet, string> = {
  tool: 'tool',
  args: 'arguments',
  text: 'text',
  agent: 'agent',
  source: 'source',
}

/** A name that the event's field never holds, where the row lists all it can hold. */
function impossibleName(test: TextTest, event: EventName, facet: Facet): { detail: string; fix: string } | undefined {
  const allowed = allowedValues(event, facet)
  if (!allowed || !('names' in test)) return undefined
  const wrong = test.names.find((name) => !allowed.includes(name))
  if (wrong === undefined) return undefined
  return {
    detail: `the ${facet} of ${event} is never \`${wrong}\``,
    fix: `${didYouMean(wrong, allowed)} It is one of ${allowed.join(', ')}.`.trim(),
  }
}

/** `tool: shell` beside `tool_glob: mcp_*`: each could match, but never both. */
function contradictions(tests: readonly MatchTest[]): Note[] {
  const [first, second] = tests.filter((test) => test.facet === 'tool')
  if (!first || !second || !('names' in first.test)) return []
  const { names, prefixes = [] } = first.test
  if (prefixes.length > 0 || names.some((name) => accepts(second.test, name))) return []
  const fix = 'Keep one of `tool` and `tool_glob`.'
  const detail = '`tool` and `tool_glob` have no name in common'
  return [note('matcher-dead', { detail, fix }, second.where ? { where: second.where } : {})]
}

function accepts(test: TextTest, name: string): boolean {
  if (!('names' in test)) return true
  return test.names.includes(name) || (test.prefixes ?? []).some((prefix) => name.startsWith(prefix))
}

/** A path into the arguments: names and indexes; `*` stands for every item. */
export type ArgumentPath = readonly (string | number)[]
export type ParsedPath = { ok: true; path: ArgumentPath } | { ok: false; detail: string }

/**
 * `$.command`, `headers.Authorization`, `edits[*].path`, `items[0]`, `["odd key"].x`. A leading `$` is the arguments
 * themselves, and may be left out.
 */
export function parsePath(text: string): ParsedPath {
  const source = text.trim()
  if (source === '') return { ok: false, detail: 'it is empty' }
  const path: (string | number)[] = []
  let at = source.startsWith('$') && !/^\$\w/.test(source) ? 1 : 0
  while (at < source.length) {
    const matched = step(source, at, at === 0)
    if (typeof matched === 'string') return { ok: false, detail: matched }
    path.push(matched.step)
    at += matched.length
  }
  return { ok: true, path }
}

export function formatArgumentPath(path: ArgumentPath): string {
  return `$${path.map(formatStep).join('')}`
}

const name = /^\.?([^.[\]"'*\s]+)/
const every = /^(?:\.\*|\[\*\])/
const index = /^\[(\d{1,9})\]/
const quoted = /^\[(?:"((?:[^"\\]|\\.)*)"|'([^'\\]*)')\]/

function step(source: string, at: number, first: boolean): { step: string | number; length: number } | string {
  const rest = source.slice(at, at + 512)
  const all = every.exec(rest) ?? (first && /^\*/.exec(rest))
  if (all) return { step: '*', length: all[0].length }
  const number = index.exec(rest)
  if (number) return { step: Number(number[1]), length: number[0].length }
  const key = quoted.exec(rest)
  if (key) return { step: key[2] ?? unquote(key[1] ?? ''), length: key[0].length }
  const word = name.exec(rest)
  if (word && (first || rest.startsWith('.'))) return { step: word[1]!, length: word[0].length }
  return explain(rest, at)
}

function explain(rest: string, at: number): string {
  if (rest.startsWith('..')) return 'it has `..`, and there is no search at every depth'
  if (rest.startsWith('[?')) return 'it has a filter, and there are none'
  if (rest === '.') return 'it ends with a dot'
  return `\`${rest.slice(0, 20)}\` at character ${at + 1} is neither a name nor an index`
}

function formatStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`
  if (step === '*') return '[*]'
  return name.exec(`.${step}`)?.[0] === `.${step}` ? `.${step}` : `[${JSON.stringify(step)}]`
}

function unquote(inner: string): string {
  try {
    return JSON.parse(`"${inner}"`) as string
  } catch {
    return inner
  }
}
