import { type Dialect, type McpNames, tools as ours, type TheirTool, type ToolRow } from '../../core/index.ts'
import { ourDialects } from '../../dialects/index.ts'
import { hostNames, loadHost } from '../../hosts/index.ts'

/** A tool by one of its names. */
export interface NamedTool {
  name: string
  /** Ours that it is. */
  tool: string
  /** Its arguments there, and what we call each; absent: nobody says which it has. */
  keys?: ReadonlyMap<string, string>
}

/** Everything that hooks of one dialect may name. */
export interface KnownTools {
  /** ` of crush`; nothing where the words are our own. */
  whose: string
  /** What its system calls its tools, and tools that the config declares: what people mean. */
  own: readonly NamedTool[]
  /** What it meets besides: tools of other systems, whose calls it sees under their own names. */
  others: readonly NamedTool[]
  /** Every tool of every system. */
  everywhere: readonly NamedTool[]
  mcp?: McpNames
}

/** `declared`: tools that config files declare under `tools:`. */
export async function knownTools(
  { name, tools: section }: Dialect,
  declared: Readonly<Record<string, ToolRow>>,
): Promise<KnownTools> {
  const systems = await allSystems()
  const everywhere = systems.flatMap((system) => system.tools)
  const isOurs = section === undefined || section.own === true
  const own = isOurs ? Object.entries(ours).map(([tool, row]) => named(tool, row)) : toolsOf(section.calls)
  return {
    whose: isOurs ? '' : ` of ${name}`,
    own: [...own, ...Object.entries(declared).map(([tool, row]) => named(tool, row))],
    // Our own hooks may name a tool as any system does; those of another also run where its shape of events is used.
    others: isOurs ? everywhere : systems.filter(({ shape }) => shape === name).flatMap((system) => system.tools),
    everywhere,
    ...(section?.mcp && { mcp: section.mcp }),
  }
}

async function allSystems(): Promise<{ shape?: string | undefined; tools: NamedTool[] }[]> {
  const hosts = (await Promise.all(hostNames.map(loadHost))).flatMap((host) => host ?? [])
  const dialects = await Promise.all(ourDialects.names.map(ourDialects.load))
  return [
    ...hosts.map(({ shape, tools }) => ({ shape, tools: toolsOf(tools.calls) })),
    ...dialects.map(({ tools }) => ({ tools: toolsOf(tools?.calls ?? {}) })),
  ]
}

function named(name: string, { args }: ToolRow): NamedTool {
  const keys = Object.keys(args)
  return { name, tool: name, ...(keys.length > 0 && { keys: new Map(keys.map((key) => [key, key])) }) }
}

function toolsOf(calls: Readonly<Record<string, TheirTool | readonly TheirTool[]>>): NamedTool[] {
  return Object.entries(calls).flatMap(([tool, theirs]) =>
    [theirs].flat().flatMap((each: TheirTool) => {
      const keys = theirKeys(tool, each)
      return each.names.map((name) => ({ name, tool, keys }))
    }),
  )
}

/** What their tool calls the arguments of ours. Where a codec writes them, it is asked. */
function theirKeys(tool: string, { args = {}, codec }: TheirTool): ReadonlyMap<string, string> {
  const row = Object.hasOwn(ours, tool) ? ours[tool as keyof typeof ours] : undefined
  const keys = Object.keys(row?.args ?? {})
  if (!codec) return new Map(keys.flatMap((key) => [args[key] ?? key].flat().map((their) => [their, key] as const)))
  const inputs = sampleInputs.map((sample) => Object.fromEntries(keys.map((key) => [key, sample(key)])))
  const written = inputs.flatMap((input) => codec.write({ tool, input }).flatMap((call) => Object.entries(call.input)))
  const found = new Map<string, string>()
  for (const [their, value] of written) {
    const key = keys.find((each) => [value].flat().includes(each)) ?? found.get(their) ?? ''
    found.set(their, key)
  }
  return found
}

const edit = { oldText: 'a', newText: 'b', replaceAll: true }
/** Each argument as text, as a list and as edits, so that every codec finds what it writes; each value names its key. */
const sampleInputs: readonly ((key: string) => unknown)[] = [
  (key) => key,
  (key) => [key],
  (key) => (key === 'edits' ? [edit] : key),
  (key) => (key === 'edits' ? [edit, edit] : key),
]
