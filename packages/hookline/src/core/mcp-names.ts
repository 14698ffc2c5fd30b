/**
 * How a system spells the tools of MCP servers. Ours is `mcp__server__tool`. Where a separator can also be part of a
 * name, it cannot be known where the server ends, so every way to read it counts.
 */
export interface McpNames {
  /** `mcp_{server}_{tool}`: the first is written, all are read and match. */
  names: readonly [string, ...string[]]
  /** Spellings that match, but say too little to be read: `{server}_{tool}`. */
  matches?: readonly string[]
}

export interface McpTool {
  server: string
  tool: string
}

const ours = 'mcp__{server}__{tool}'

/** Spellings of our own: hosts of ours write the second. */
const ourNames: McpNames = { names: [ours, 'mcp_{server}_{tool}'] }

/** Our name for what is spelled so there; undefined for a tool of no MCP server. */
export function ourMcpName(theirs: McpNames, name: string): string | undefined {
  const [first] = partsOf(theirs, name)
  return first && spell(ours, first)
}

/** Their name for a tool that we, or our own agent, spell so. */
export function writeMcpName(theirs: McpNames, name: string): string | undefined {
  const [first] = partsOfMcpName(name)
  return first && spell(theirs.names[0], first)
}

/** Every way to read `mcp__server__tool`, or our agent's `mcp_server_tool`, likeliest first. */
export const partsOfMcpName = (name: string): readonly McpTool[] => partsOf(ourNames, name)

/** Every name under which their matchers may know it. */
export function mcpNamesOf(theirs: McpNames, names: readonly string[]): string[] {
  const all = new Set<string>()
  for (const name of names)
    for (const parts of [...partsOfMcpName(name), ...partsOf(theirs, name)])
      for (const spelling of [...theirs.names, ...(theirs.matches ?? [])]) all.add(spell(spelling, parts))
  return [...all]
}

function partsOf({ names }: McpNames, name: string): McpTool[] {
  for (const spelling of names) {
    const found = partsIn(spelling, name)
    if (found.length > 0) return found
  }
  return []
}

function partsIn(spelling: string, name: string): McpTool[] {
  const [prefix = '', separator = ''] = spelling.split(/\{server\}|\{tool\}/)
  if (!name.startsWith(prefix)) return []
  const rest = name.slice(prefix.length)
  const found: McpTool[] = []
  for (let at = rest.indexOf(separator, 1); at > 0; at = rest.indexOf(separator, at + 1)) {
    const tool = rest.slice(at + separator.length)
    if (tool !== '') found.push({ server: rest.slice(0, at), tool })
  }
  return found
}

const spell = (spelling: string, { server, tool }: McpTool): string =>
  spelling.replace(/\{(server|tool)\}/g, (_whole, part: string) => (part === 'server' ? server : tool))

/**
 * What a server without a name is called: after its host, or after its package, so that
 * `@modelcontextprotocol/server-everything@1.2` is `everything`.
 */
export function mcpServerName(source: string): string {
  const host = /^[a-z]+:\/\/([^/:?#]+)/i.exec(source)?.[1]
  const steps =
    host === undefined ? source.split('/').filter((step) => step !== '') : [host.replace(/^(?:www|mcp|api)\./, '')]
  const telling = steps.findLast((step) => /server|mcp/i.test(step)) ?? steps.at(-1) ?? ''
  const version = telling.replace(/@[\w.^~-]+$/, '').replace(/\.\w+$/, '')
  const bare = version.replace(/^(?:mcp-)?server-|^mcp-|-mcp(?:-server)?$|-server$/g, '')
  const plain = (bare || version).toLowerCase().replace(/[^a-z0-9]+/g, '_')
  return plain.replace(/^_|_$/g, '') || 'server'
}
