import { isRecord } from './effects.ts'
import { sameJson } from './json.ts'
import { type McpNames, mcpNamesOf, ourMcpName, writeMcpName } from './mcp-names.ts'
import type { ToolCall } from './tools.ts'

/**
 * What a system calls our tools, both ways. Two systems never see each other: a call of one becomes ours, and ours
 * becomes a call of the other. An unknown tool passes through untouched.
 */
export interface ToolSection {
  /** Ours → theirs, in the order in which their names are read: of two tools of ours with one name there, the first. */
  calls: Readonly<Record<string, TheirTool | readonly [TheirTool, ...TheirTool[]]>>
  /** The shape of results, for tools that declare none. */
  result?: ResultCodec
  mcp?: McpNames
  /** These are our own words: nothing is ever translated. */
  own?: true
}

/** One of our tools in their words. Of several, the first is written and all are read. */
export interface TheirTool {
  /** The first is written; the others are read, and match, as well. */
  names: readonly [string, ...string[]]
  /** Our keys → theirs, where they differ; the first is written, the others are read as well. */
  args?: Readonly<Record<string, string | readonly [string, ...string[]]>>
  /** Where more differs than names of keys; then `args` is not looked at. */
  codec?: CallCodec
  result?: ResultCodec
}

/** Between calls of theirs and calls of ours, where shapes differ. Pure, and never throws. */
export interface CallCodec {
  /** Theirs in our words; several, when one call is several. Undefined: the input is not what the tool takes. */
  read(theirs: ToolCall): readonly ToolCall[] | undefined
  /** Ours in their words; several, when their tool takes one thing at a time. */
  write(ours: ToolCall): readonly ToolCall[]
  /** Into the very call that it came from; undefined when that call cannot say it. Absent: what `write` gives, if it is one. */
  back?(ours: readonly ToolCall[], original: ToolCall): ToolCall | undefined
  /** The key of ours whose list `write` takes apart. */
  each?: string
}

/** The text of a result, and a result of the tool's own shape with that text. */
export interface ResultCodec {
  /** Undefined: it has another shape. */
  read(result: unknown): string | undefined
  write(text: string, original?: unknown): unknown
}

/** A call of theirs in our words. What cannot be read keeps its arguments under our name for the tool. */
export function toOurs(section: ToolSection, theirs: ToolCall): readonly ToolCall[] {
  const found = wordsOf(section).byName.get(theirs.tool)
  if (found) return readAs(found.tool, found.ours, theirs)
  const mcp = section.mcp && ourMcpName(section.mcp, theirs.tool)
  return [mcp === undefined ? theirs : { tool: mcp, input: theirs.input }]
}

/** A call of ours in their words: usually one. */
export function toTheirs(section: ToolSection, ours: ToolCall): readonly ToolCall[] {
  if (section.own) return [ours]
  const [first] = wordsOf(section).byOurs.get(ours.tool) ?? []
  if (first) return first.codec ? first.codec.write(ours) : [renamed(first, ours)]
  const mcp = section.mcp && writeMcpName(section.mcp, ours.tool)
  return [mcp === undefined ? ours : { tool: mcp, input: ours.input }]
}

/** A call that a hook was given as `toTheirs` wrote it, and has changed: ours again, or undefined when it is no longer that tool. */
export function fromTheirs(section: ToolSection, ours: string, theirs: ToolCall): ToolCall | undefined {
  const tools = wordsOf(section).byOurs.get(ours) ?? []
  const tool = tools.find(({ names }) => names.includes(theirs.tool))
  if (!tool) return { tool: ours, input: theirs.input }
  const read = readAs(tool, ours, theirs)
  return read.length === 1 ? { tool: ours, input: read[0]!.input } : undefined
}

/** Calls of ours in the host's own call that they came from; undefined when it cannot say them. */
export function backToTheirs(
  section: ToolSection,
  ours: readonly ToolCall[],
  original: ToolCall,
): ToolCall | undefined {
  if (sameJson(ours, toOurs(section, original))) return original
  const tool = wordsOf(section).byName.get(original.tool)?.tool
  const only = ours.length === 1 ? ours[0]! : undefined
  if (!tool) return only && { tool: original.tool, input: only.input }
  if (tool.codec?.back) return tool.codec.back(ours, original)
  if (!only) return undefined
  if (!tool.codec) return { tool: original.tool, input: renamed(tool, only, original).input }
  const written = tool.codec.write(only)
  return written.length === 1 ? { tool: original.tool, input: written[0]!.input } : undefined
}

/** Every name under which their matchers may know this tool of ours; `called` is what the host calls it. */
export function theirNamesFor(section: ToolSection, ours: string, called = ours): readonly string[] {
  const [first] = wordsOf(section).byOurs.get(ours) ?? []
  if (first) return first.names
  return section.mcp ? mcpNamesOf(section.mcp, [ours, called]) : []
}

/** The input with every spelling of its keys, for tests of matchers that may use any of them. */
export function everySpelling(section: ToolSection, ours: string, theirs: ToolCall): ToolCall['input'] {
  const tool = wordsOf(section).byOurs.get(ours)?.[0]
  if (!tool?.args || tool.codec) return theirs.input
  const more: Record<string, unknown> = {}
  for (const keys of Object.values(tool.args)) {
    const [written, ...others] = [keys].flat()
    if (!Object.hasOwn(theirs.input, written!)) continue
    for (const other of others) if (!Object.hasOwn(theirs.input, other)) more[other] = theirs.input[written!]
  }
  return Object.keys(more).length === 0 ? theirs.input : { ...theirs.input, ...more }
}

/** The key of ours whose list becomes several calls of theirs. */
export const listTakenApart = (section: ToolSection, ours: string): string | undefined =>
  wordsOf(section).byOurs.get(ours)?.[0]?.codec?.each

/** The text of a result of their tool; anything else stays as it is. */
export function resultToOurs(section: ToolSection, tool: string, result: unknown): unknown {
  return (wordsOf(section).byName.get(tool)?.tool.result ?? section.result)?.read(result) ?? result
}

/** A text in the shape of a result of their tool, or of the original where that has another; what is no text stays as it is. */
export function resultToTheirs(section: ToolSection, tool: string, result: unknown, original?: unknown): unknown {
  const codec = wordsOf(section).byName.get(tool)?.tool.result ?? section.result
  if (!codec || typeof result !== 'string') return result
  return original !== undefined && codec.read(original) === undefined ? result : codec.write(result, original)
}

interface Words {
  byName: ReadonlyMap<string, { ours: string; tool: TheirTool }>
  byOurs: ReadonlyMap<string, readonly TheirTool[]>
}

const known = new WeakMap<ToolSection, Words>()

function wordsOf(section: ToolSection): Words {
  const made = known.get(section)
  if (made) return made
  const byName = new Map<string, { ours: string; tool: TheirTool }>()
  const byOurs = new Map<string, readonly TheirTool[]>()
  for (const [ours, given] of Object.entries(section.calls)) {
    const tools = [given].flat() as readonly TheirTool[]
    byOurs.set(ours, tools)
    for (const tool of tools) for (const name of tool.names) if (!byName.has(name)) byName.set(name, { ours, tool })
  }
  const words = { byName, byOurs }
  known.set(section, words)
  return words
}

function readAs(tool: TheirTool, ours: string, theirs: ToolCall): readonly ToolCall[] {
  if (!isRecord(theirs.input)) return [{ tool: ours, input: theirs.input }]
  if (tool.codec) return tool.codec.read(theirs) ?? [{ tool: ours, input: theirs.input }]
  return [
    {
      tool: ours,
      input: renameKeys(
        theirs.input,
        pairsOf(tool, theirs.input).map(([our, their]) => [their, our]),
      ),
    },
  ]
}

function renamed(tool: TheirTool, ours: ToolCall, original?: ToolCall): ToolCall {
  if (!isRecord(ours.input)) return { tool: tool.names[0], input: ours.input }
  return { tool: tool.names[0], input: renameKeys(ours.input, pairsOf(tool, original?.input)) }
}

/** Our keys and theirs: of several spellings the one that is in the input, else the first. */
function pairsOf({ args = {} }: TheirTool, theirs: unknown): [string, string][] {
  return Object.entries(args).map(([our, their]) => {
    const spellings = [their].flat() as string[]
    const used = isRecord(theirs) ? spellings.find((key) => Object.hasOwn(theirs, key)) : undefined
    return [our, used ?? spellings[0]!]
  })
}

/**
 * A key whose new name is taken changes places with it, so that nothing is lost and the way back leads to the same
 * input: a stray `path` beside the `file_path` that a tool reads must not pass for it.
 */
export function renameKeys(
  input: ToolCall['input'],
  pairs: readonly (readonly [from: string, to: string])[],
): Record<string, unknown> {
  const names = new Map<string, string>()
  for (const [from, to] of pairs) {
    if (from === to || !Object.hasOwn(input, from)) continue
    names.set(from, to)
    if (Object.hasOwn(input, to) && !names.has(to)) names.set(to, from)
  }
  if (names.size === 0) return { ...input }
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [names.get(key) ?? key, value]))
}
