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
  const test: TextTest = names
    ? { names: names.filter(Boolean).flatMap((name) => ourValues(event, name)) }
    : { regex: matcher, whole: false }
  const notes = (names ?? []).filter((name) => /^mcp__[^_]+$/.test(name)).map((name) => serverOnly(name, where))
  if (typeof matches === 'string') return { tests: [{ facet: matches, test, where }], notes }
  return { tests: [{ facet: 'text', test: inField(matches.field, test), where }], notes }
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
