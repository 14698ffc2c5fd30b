import type { Dialect, Hook, MatchTest, TextTest, ToolSection } from '../core/index.ts'
import { theirNamesFor, toOurs, tools, toTheirs } from '../core/index.ts'
import { compilePattern } from '../core/regex.ts'

/** The matcher of a hook in the words of another system: names of tools, and keys of arguments. */
export function translateMatcher(hook: Hook, { tools: from }: Dialect, { tools: to }: Dialect): Hook {
  if (!from || !to || hook.matcher.length === 0) return hook
  const named = hook.matcher.find(({ facet, negate }) => facet === 'tool' && !negate)
  const ours = named ? toolsIn(named.test, from) : []
  const matcher = hook.matcher.map((test): MatchTest => {
    if (test.facet === 'tool') return { ...test, test: translateNames(test.test, from, to) }
    if (test.facet === 'args' && ours[0] !== undefined) return { ...test, ...translatePath(test, ours[0], from, to) }
    return test
  })
  return { ...hook, matcher }
}

/** The tools of ours that a test means, by the names of its system. */
function toolsIn(test: TextTest, section: ToolSection): string[] {
  if ('any' in test) return []
  const known = namesIn(section)
  const meant = 'names' in test ? test.names : known.filter(accepts(test))
  return [...new Set(meant.flatMap((name) => toOurs(section, { tool: name, input: {} }).map(({ tool }) => tool)))]
}

function translateNames(test: TextTest, from: ToolSection, to: ToolSection): TextTest {
  if ('any' in test || ('names' in test && test.prefixes?.length)) return test
  const own = 'names' in test ? test.names : plainNames(test)
  if (own)
    return {
      names: [...new Set(own.flatMap((name) => namesFor(toOurs(from, { tool: name, input: {} })[0]!.tool, to)))],
    }
  if (!('regex' in test)) return test
  // A real pattern may also mean tools that nobody knows: it stays, and known names stand beside it.
  const more = toolsIn(test, from).flatMap((tool) => namesFor(tool, to))
  const mcp = from.mcp && to.mcp && ['a', 'b'].every((text) => accepts(test)(spelt(from.mcp!.names[0], text)))
  const all = [
    ...new Set([
      ...more.map(escaped),
      ...(mcp ? [spelt(escaped(to.mcp!.names[0]).replace(/\\([{}])/g, '$1'), '.*')] : []),
    ]),
  ]
  if (all.length === 0) return test
  const beside = all.join('|')
  return { regex: test.whole ? `(?:${test.regex})|${beside}` : `(?:${test.regex})|^(?:${beside})$`, whole: test.whole }
}

/** `^bash$`, `^(edit|write)$` and, of the whole name, `a|b` are lists of names. */
function plainNames(test: { regex: string; whole: boolean }): string[] | undefined {
  const anchored = test.whole ? /^\^?\(?(?:\?:)?([\w|-]+)\)?\$?$/ : /^\^(?:\((?:\?:)?([\w|-]+)\)|([\w-]+))\$$/
  const found = anchored.exec(test.regex)
  return (found?.[1] ?? found?.[2])?.split('|')
}

const namesFor = (tool: string, to: ToolSection): readonly string[] => {
  const names = to.own ? [] : theirNamesFor(to, tool)
  return names.length > 0 ? names : [toTheirs(to, { tool, input: {} })[0]?.tool ?? tool]
}

function translatePath({ path = [] }: MatchTest, tool: string, from: ToolSection, to: ToolSection): Partial<MatchTest> {
  const [first, ...rest] = path
  if (typeof first !== 'string') return {}
  const name = namesFor(tool, from)[0]!
  const ours = toOurs(from, { tool: name, input: { [first]: '' } })[0]!
  const [theirs] = toTheirs(to, { tool, input: ours.input })
  const [key, ...more] = Object.keys(theirs?.input ?? {})
  return key !== undefined && more.length === 0 ? { path: [key, ...rest] } : {}
}

const namesIn = ({ calls, own }: ToolSection): string[] => [
  ...(own ? Object.keys(tools) : []),
  ...new Set(Object.values(calls).flatMap((tool) => [tool].flat().flatMap(({ names }) => names))),
]

function accepts(test: TextTest): (name: string) => boolean {
  if (!('regex' in test)) return () => false
  const compiled = compilePattern(test.regex, test.whole)
  return (name) => compiled.ok && compiled.pattern.test(name)
}

const spelt = (spelling: string, text: string) => spelling.replace(/\{(?:server|tool)\}/g, text)
const escaped = (name: string) => name.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')
