import type { MatchTest, Note, Source, TextTest } from '../../core/index.ts'
import { isRecord, note } from '../../core/index.ts'
import { type Path, shapeNote, unknownKeys } from '../common/config.ts'

/** Bytes of each text of a matcher. */
const longest = 2_048
const fields = ['tool_name', 'tool_name_glob', 'args_jsonpath', 'match_regex', 'deny_regex'] as const
type Field = (typeof fields)[number]

export interface DecodedMatcher {
  tests: MatchTest[]
  problems: Note[]
  notes: Note[]
}

/** All tests must pass. Everruns says nothing of a matcher that can never match; here a note does. */
export function decodeMatcher(matcher: unknown, at: Path, source: Source): DecodedMatcher {
  const decoded: DecodedMatcher = { tests: [], problems: [], notes: [] }
  if (matcher === undefined || matcher === null) return decoded
  if (!isRecord(matcher)) {
    decoded.problems.push(shapeNote(source, at, 'must be an object', 'Write `{"tool_name": "bash"}`.'))
    return decoded
  }
  decoded.notes.push(...unknownKeys(matcher, fields, at, source))
  const given = readTexts(matcher, at, source, decoded.problems)
  if (decoded.problems.length > 0) return decoded
  const where = (field: Field) => source.locate([...at, field])
  const dead = (field: Field, detail: string, fix: string) => {
    decoded.notes.push(note('matcher-dead', { detail, fix }, { where: where(field) }))
    decoded.tests.push({ facet: 'tool', test: { names: [] }, where: where(field) })
  }

  const { tool_name, tool_name_glob, args_jsonpath, match_regex, deny_regex } = given
  if (tool_name === '') dead('tool_name', 'no tool has an empty name', 'Name the tool, or leave `tool_name` out.')
  else if (tool_name !== undefined)
    decoded.tests.push({ facet: 'tool', test: { names: [tool_name] }, where: where('tool_name') })
  if (tool_name_glob !== undefined) {
    const test = decodeGlob(tool_name_glob)
    if (test === undefined) {
      const detail = `is \`${tool_name_glob}\`, which contains unsupported syntax`
      decoded.problems.push(shapeNote(source, [...at, 'tool_name_glob'], detail, 'Write `a|b|c`, or end in one `*`.'))
    } else if (isEmpty(test)) dead('tool_name_glob', 'the glob names no tool', 'Write `bash|edit_file` or `mcp_*`.')
    else decoded.tests.push({ facet: 'tool', test, where: where('tool_name_glob') })
  }
  if (match_regex !== undefined && deny_regex !== undefined) {
    const fix = 'Choose one: both fire when the value matches.'
    decoded.problems.push(shapeNote(source, [...at, 'deny_regex'], 'is set beside `match_regex`', fix))
  } else if (args_jsonpath === undefined && (match_regex ?? deny_regex) !== undefined) {
    const field = match_regex === undefined ? 'deny_regex' : 'match_regex'
    dead(field, `without \`args_jsonpath\`, \`${field}\` has nothing to look at`, 'Add `"args_jsonpath": "$.command"`.')
    // A pattern that cannot be compiled is refused all the same.
    decoded.tests.push(argumentTest('$', given[field], where(field)))
  } else if (args_jsonpath !== undefined) {
    // "Inverse — fires when extracted value matches this regex": the two do the same.
    const field = deny_regex === undefined ? 'match_regex' : 'deny_regex'
    decoded.tests.push(argumentTest(args_jsonpath, match_regex ?? deny_regex, where(field)))
  }
  return decoded
}

function readTexts(
  matcher: Record<string, unknown>,
  at: Path,
  source: Source,
  problems: Note[],
): Partial<Record<Field, string>> {
  const texts: Partial<Record<Field, string>> = {}
  for (const field of fields) {
    const value = matcher[field]
    if (value === undefined || value === null) continue
    if (typeof value !== 'string') problems.push(shapeNote(source, [...at, field], 'must be text', 'Put it in quotes.'))
    else if (byteLength(value) > longest)
      problems.push(shapeNote(source, [...at, field], `is longer than ${longest} bytes`, 'Shorten it.'))
    else if (field.endsWith('_regex') && CLASS_INTERSECTION.test(value))
      problems.push(
        shapeNote(source, [...at, field], 'uses `&&` in a class, which means other characters here', 'List them.'),
      )
    else texts[field] = value
  }
  return texts
}

/** Rust's `[a-z&&[^aeiou]]` would be read as a class of these very characters, and silently match something else. */
const CLASS_INTERSECTION = /\[(?:[^\]\\]|\\.)*&&\[/

/** "Restricted glob: a|b|c alternation or trailing *"; undefined for anything more. */
function decodeGlob(glob: string): { names: string[]; prefixes?: string[] } | undefined {
  const names: string[] = []
  const prefixes: string[] = []
  for (const alternative of glob.split('|').map((each) => each.trim())) {
    const name = alternative.replace(/\*$/, '')
    if (/[*?[\]{}]/.test(name)) return undefined
    if (name !== alternative) prefixes.push(name)
    else if (name !== '') names.push(name)
  }
  return prefixes.length > 0 ? { names, prefixes } : { names }
}

const isEmpty = ({ names, prefixes = [] }: { names: string[]; prefixes?: string[] }) =>
  names.length + prefixes.length === 0

/** Alone, a path "fires on any non-empty extraction"; a missing argument counts as an empty text. */
function argumentTest(jsonpath: string, regex: string | undefined, where: MatchTest['where']): MatchTest {
  const test: TextTest = regex === undefined ? { any: true } : { regex, whole: false }
  return { facet: 'args', path: pathOf(jsonpath), keysOnly: true, test, ...(where && { where }) }
}

/** "Dot-path into ToolCall.arguments (e.g. $.command)"; neither lists nor brackets. */
function pathOf(jsonpath: string): string[] {
  return jsonpath
    .replace(/^\$(?=\.|$)/, '')
    .split('.')
    .filter((step) => step !== '')
}

/** The same in their words; undefined for a test that has none. */
export function encodeTest({ facet, path = [], test, negate }: MatchTest): Record<string, string> | undefined {
  if (facet === 'tool' && !negate) return encodeTool(test)
  if (facet !== 'args' || path.some((step) => typeof step !== 'string' || !/^[^.*[\]]+$/.test(step))) return undefined
  const at = { args_jsonpath: path.length > 0 ? `$.${path.join('.')}` : '$' }
  if ('any' in test) return negate ? { ...at, match_regex: '^$' } : at
  if (negate) return undefined
  if ('regex' in test) return { ...at, match_regex: test.whole ? `(?s)^(?:${test.regex})$` : test.regex }
  const names = test.names.map((name) => `${escaped(name)}$`)
  return { ...at, match_regex: `^(?:${[...names, ...(test.prefixes ?? []).map(escaped)].join('|')})` }
}

function encodeTool(test: TextTest): Record<string, string> | undefined {
  if ('any' in test) return { tool_name_glob: '*' }
  if ('regex' in test) return undefined
  const { names, prefixes = [] } = test
  if ([...names, ...prefixes].some((name) => /[|*?[\]{}]|^\s|\s$/.test(name))) return undefined
  if (prefixes.length === 0 && names.length === 1) return { tool_name: names[0]! }
  return { tool_name_glob: [...names, ...prefixes.map((prefix) => `${prefix}*`)].join('|') }
}

export const byteLength = (text: string): number => new TextEncoder().encode(text).length

const escaped = (name: string) => name.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')
