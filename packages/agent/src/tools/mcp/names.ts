import { createHash } from 'node:crypto'
import { isRecord } from 'hookline/internal'

/** What providers take for the name of a tool. */
const longestName = 64

export function nameOf(server: string, tool: string): string {
  const name = `mcp_${server}_${tool}`.replace(/[^\w-]/g, '_')
  if (name.length <= longestName) return name
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 6)
  return `${name.slice(0, longestName - 7)}_${mark}`
}

/** What an MCP server is called by: its name, else its package or its host. */
export function serverNameOf({ name, command, args, remote }: Record<string, unknown>): string {
  if (typeof name === 'string') return serverName(name)
  if (isRecord(remote)) {
    const host = /^[a-z]+:\/\/([^/:?#]+)/i.exec(String(remote['url']))?.[1] ?? String(remote['url'])
    return serverName(host.replace(/^(?:www|mcp|api)\./, ''))
  }
  const words = Array.isArray(args) ? args.map(String).reverse() : []
  return serverName(words.find((each) => /server|mcp/i.test(each)) ?? String(command))
}

/** A server without a name is called after its package: `@modelcontextprotocol/server-everything` is `everything`. */
export function serverName(source: string): string {
  const steps = source.split('/').filter((step) => step !== '')
  const telling = steps.findLast((step) => /server|mcp/i.test(step)) ?? steps.at(-1) ?? ''
  const version = telling.replace(/@[\w.^~-]+$/, '').replace(/\.\w+$/, '')
  const bare = version.replace(/^(?:mcp-)?server-|^mcp-|-mcp(?:-server)?$|-server$/g, '')
  const plain = (bare || version).toLowerCase().replace(/[^a-z0-9]+/g, '_')
  return plain.replace(/^_|_$/g, '') || 'server'
}
