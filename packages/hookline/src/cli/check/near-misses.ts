import {
  type Hook,
  type MatchTest,
  type McpNames,
  type Note,
  note,
  ourMcpName,
  type TextTest,
  type ToolRow,
  writeMcpName,
} from '../../core/index.ts'
import { compilePattern } from '../../core/regex.ts'
import { loadDialect } from '../../dialects/index.ts'
import { type KnownTools, knownTools, type NamedTool } from './known-tools.ts'
import { nearestName } from './spelling.ts'

/**
 * Names in matchers that are nearly those of a tool or an argument, in the words of the hook's own system. A name that is
 * far from all others is nobody's business: it may be a tool of one's own.
 */
export async function nearMisses(hooks: readonly Hook[], declared: Readonly<Record<string, ToolRow>>): Promise<Note[]> {
  const looking = hooks.filter(({ matcher }) => matcher.some(({ facet }) => facet === 'tool' || facet === 'args'))
  const names = [...new Set(looking.map(({ dialect }) => dialect))]
  const known = new Map(
    await Promise.all(names.map(async (name) => [name, await knownTools(await loadDialect(name), declared)] as const)),
  )
  return looking.flatMap((hook) => [
    ...misspeltTools(hook, known.get(hook.dialect)!),
    ...misspeltArguments(hook, known.get(hook.dialect)!),
  ])
}

function misspeltTools({ id, matcher }: Hook, known: KnownTools): Note[] {
  return matcher
    .filter(({ facet }) => facet === 'tool')
    .flatMap(({ test, where }) => {
      const written = namesIn(test)
      return written.flatMap((name) => {
        const meant = meantTool(name, known)
        // Who lists both spellings has the right one among them.
        if (meant === undefined || written.some((other) => other !== name && fits(other, meant))) return []
        const is = name.begins && name.ends ? 'is called' : 'has a name with'
        return [
          note(
            'tool-near-miss',
            { whose: known.whose, is, name: name.text, hint: ` Did you mean \`${meant}\`?` },
            { hook: id, ...(where && { where }) },
          ),
        ]
      })
    })
}

/** One name as a matcher writes it: all of a tool's name, or how it begins, how it ends, or what is in it. */
interface WrittenName {
  text: string
  begins: boolean
  ends: boolean
}

function namesIn(test: TextTest): WrittenName[] {
  if ('any' in test) return []
  if ('regex' in test) return namesInRegex(test.regex, test.whole) ?? []
  return [
    ...test.names.map((text) => ({ text, begins: true, ends: true })),
    ...(test.prefixes ?? []).map((text) => ({ text, begins: true, ends: false })),
  ]
}

/** The names of a pattern that is nothing but names and `.*`; undefined for any other. */
function namesInRegex(regex: string, whole: boolean): WrittenName[] | undefined {
  const [, caret = '', inner = regex, dollar = ''] = /^(\^?)\((?:\?:)?([^()]*)\)(\$?)$/.exec(regex) ?? []
  const names = inner.split('|').map((each) => {
    const [, start = '', text, end = ''] = /^(\^|\.\*)?([\w:-]+)(\$|\.\*)?$/.exec(each) ?? []
    if (text === undefined) return undefined
    const begins = start !== '.*' && (whole || caret !== '' || start === '^')
    return { text, begins, ends: end !== '.*' && (whole || dollar !== '' || end === '$') }
  })
  return names.every((name) => name !== undefined) ? names : undefined
}

function fits({ text, begins, ends }: WrittenName, name: string): boolean {
  if (begins) return ends ? name === text : name.startsWith(text)
  return ends ? name.endsWith(text) : name.includes(text)
}

function meantTool(written: WrittenName, { own, others, mcp }: KnownTools): string | undefined {
  if ([...own, ...others].some(({ name }) => fits(written, name))) return undefined
  const { text, ends } = written
  if (/^mcp[_:]/i.test(text)) return mcp && meantMcpTool(written, mcp)
  const names = own.map(({ name }) => name)
  const whole = nearestName(text, names)
  if (whole !== undefined || ends || text.length < 4) return whole
  const beginnings = [...names, ...(mcp?.names.map(beforeServer) ?? [])].map((name) => name.slice(0, text.length))
  return nearestName(text, beginnings.includes(text) ? [] : beginnings)
}

/** `mcp_github` names no tool, and `mcp_github_issue` none of a system that writes `mcp__github__issue`. */
function meantMcpTool({ text, ends }: WrittenName, mcp: McpNames): string | undefined {
  const spellings = [...mcp.names, ...(mcp.matches ?? [])].map(beforeServer)
  const isBeginning = spellings.some((before) => text.startsWith(before) || before.startsWith(text))
  if (ends ? ourMcpName(mcp, text) !== undefined : isBeginning) return undefined
  const written = writeMcpName(mcp, text)
  if (ends && written !== undefined) return written
  const [server = ''] = text.replace(/^mcp[_:]+/i, '').split(/__|[:*]|_$/)
  return server === '' ? undefined : `${mcp.names[0].split('{tool}')[0]!.replace('{server}', server)}.*`
}

const beforeServer = (spelling: string): string => spelling.split('{server}')[0]!

/** An argument that none of the tools has that the same matcher matches. */
function misspeltArguments({ id, matcher, origin }: Hook, known: KnownTools): Note[] {
  const matched = matchedTools(matcher, known)
  const keys = [...new Set(matched.flatMap((tool) => [...(tool.keys?.keys() ?? [])]))]
  if (keys.length === 0 || matched.some((tool) => tool.keys === undefined)) return []
  const wrong = matcher.flatMap(({ facet, path = [], where = origin.where }) => {
    const [key] = path
    if (facet !== 'args' || typeof key !== 'string' || key === '*' || keys.includes(key)) return []
    const meant = nearestName(key, keys) ?? calledHere(key, matched, known.everywhere)
    return meant === undefined ? [] : [{ key, meant, where }]
  })
  return [...new Map(wrong.map((each) => [each.key, each])).values()].map(({ key, meant, where }) => {
    const details = { name: key, hint: ` Did you mean \`${meant}\`?`, known: keys.join(', ') }
    // The path stands somewhere on the line, not where the test of its value does.
    const at = where && { file: where.file, ...(where.line !== undefined && { line: where.line }) }
    return note('argument-near-miss', details, { hook: id, ...(at && { where: at }) })
  })
}

/** What an argument is called here that has that name in another system: `file_path` is our `path`. */
function calledHere(key: string, matched: readonly NamedTool[], everywhere: readonly NamedTool[]): string | undefined {
  for (const { tool, keys } of matched) {
    const meaning = everywhere.find((other) => other.tool === tool && other.keys?.get(key))?.keys?.get(key)
    const here = [...(keys ?? [])].find(([, means]) => means === meaning)
    if (meaning !== undefined && here) return here[0]
  }
  return undefined
}

/** The tools that a matcher matches, as far as they are known; none where it also names one that is not. */
function matchedTools(matcher: readonly MatchTest[], known: KnownTools): readonly NamedTool[] {
  const { own, others } = known
  const tests = matcher.filter(({ facet }) => facet === 'tool')
  const passing = (tools: readonly NamedTool[]) =>
    tools.filter(({ name }) => tests.every(({ test, negate }) => accepts(test, name) !== (negate === true)))
  const names = tests.flatMap(({ test, negate }) => ('names' in test && !negate ? test.names : []))
  if (names.some((name) => isForeign(name, known))) return []
  const found = passing(own)
  return found.length > 0 ? found : passing(others)
}

const isForeign = (name: string, known: KnownTools): boolean =>
  ![...known.own, ...known.others].some((tool) => tool.name === name) &&
  meantTool({ text: name, begins: true, ends: true }, known) === undefined

function accepts(test: TextTest, name: string): boolean {
  if ('any' in test) return true
  if ('names' in test) return test.names.includes(name) || (test.prefixes ?? []).some((each) => name.startsWith(each))
  const compiled = compilePattern(test.regex, test.whole)
  return compiled.ok && compiled.pattern.test(name)
}
