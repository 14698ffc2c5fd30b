import { didYouMean, mcpNamesOf, type ToolRow, type ToolSection, tools } from '../core/index.ts'
import { matchesText, wordGlob } from './glob.ts'

/** What tools are called: ours, and in every system's own spelling. */
export interface ToolNames {
  /**
   * Whether one of the names of a call is meant by one of these patterns. Strictly: only if the tool of that name does the
   * same there, so that whoever allows `Write` has not allowed to delete.
   */
  test(patterns: readonly string[], strictly: boolean): (names: readonly string[]) => boolean
  /** Whether anybody has a tool of this name. */
  knows(name: string): boolean
  /** ` Did you mean …?`, or nothing. */
  suggest(name: string): string
}

/** `sections`: what other systems call ours. `declared`: the tools that people have declared, as far as is known by then. */
export function toolNames(
  sections: readonly ToolSection[] = [],
  declared: () => Iterable<string> = () => [],
): ToolNames {
  const spelt = new Map<string, Meant>()
  for (const section of sections) for (const each of meaningsIn(section)) addTo(spelt, each)
  const mcp = sections.flatMap((section) => section.mcp ?? [])
  const ours = Object.keys(tools)
  const names = [...ours, ...new Set([...spelt.values()].map(({ name }) => name))]
  const isName = new Set(names.map(fold))
  return {
    test(patterns, strictly) {
      const globs = patterns.map((pattern) => wordGlob(pattern, true))
      const meant = new Set(
        patterns.flatMap((pattern) => [...(spelt.get(fold(pattern))?.[strictly ? 'same' : 'near'] ?? [])]),
      )
      const matches = (name: string) => globs.some((glob) => matchesText(glob, name))
      return (called) =>
        called.some(
          (name) =>
            meant.has(name) ||
            matches(name) ||
            (name.startsWith('mcp_') && mcp.some((spellings) => mcpNamesOf(spellings, [name]).some(matches))),
        )
    },
    knows: (name) =>
      name.includes('*') ||
      name.startsWith('mcp') ||
      isName.has(fold(name)) ||
      [...declared()].some((own) => fold(own) === fold(name)),
    suggest: (name) => didYouMean(name, [...names, ...declared()]),
  }
}

/** Our tools that a name stands for: those that do the same, and those that have nothing nearer there. */
interface Meant {
  name: string
  same: Set<string>
  near: Set<string>
}

function addTo(spelt: Map<string, Meant>, { name, same, near }: Meant): void {
  const known = spelt.get(fold(name)) ?? { name, same: new Set<string>(), near: new Set<string>() }
  for (const tool of same) known.same.add(tool)
  for (const tool of near) known.near.add(tool)
  spelt.set(fold(name), known)
}

function meaningsIn({ calls }: ToolSection): Meant[] {
  const first = new Map<string, string>()
  return Object.entries(calls).flatMap(([ours, theirs]) =>
    [theirs].flat().flatMap(({ names }) =>
      names.map((name) => {
        const read = first.get(name) ?? ours
        first.set(name, read)
        return { name, same: new Set(doesTheSame(ours, read) ? [ours] : []), near: new Set([ours]) }
      }),
    ),
  )
}

function doesTheSame(one: string, other: string): boolean {
  const does = (name: string) => (tools as Record<string, ToolRow>)[name]?.does.join()
  return one === other || does(one) === does(other)
}

const fold = (name: string): string => name.toLowerCase()
