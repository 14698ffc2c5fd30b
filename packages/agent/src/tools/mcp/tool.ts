import { createHash } from 'node:crypto'
import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/client'
import { isRecord, mcpServerName } from 'hookline/internal'
import { clip, size, type Tool, ToolFailure, type ToolResult } from '../../core/index.ts'

import type { Server } from './connection.ts'

/** All of it, as far as memory allows: a hook puts long results aside, and says that the file has the whole. */
const mostCharacters = 16 * 1024 * 1024

/** A tool of a server as one of the agent's. That it only reads is the server's own word: it approves nothing until the user said so. */
export function toolOf(server: Server, tool: McpTool, callMs: number, trustsHint: boolean): Tool {
  const { required = [] } = tool.inputSchema
  return {
    name: nameOf(server.name, tool.name),
    description: tool.description ?? tool.title ?? tool.name,
    category: 'mcp',
    parameters: tool.inputSchema as Record<string, unknown>,
    readOnly: () => trustsHint && tool.annotations?.readOnlyHint === true,
    ...(tool.annotations?.readOnlyHint === true ? { onlyReads: true } : {}),
    ...(tool.annotations?.idempotentHint === true ? { idempotent: true } : {}),
    parse(input) {
      const missing = required.filter((key) => input[key] === undefined)
      if (missing.length === 0) return { ok: true, input }
      return { ok: false, problem: `Missing: ${missing.map((key) => `\`${key}\``).join(', ')}.` }
    },
    async run(input, { signal, progress }) {
      await server.client()
      try {
        const result = await server.use((client) =>
          client.callTool(
            { name: tool.name, arguments: input },
            {
              signal,
              timeout: callMs,
              resetTimeoutOnProgress: true,
              onprogress: ({ message }) => message !== undefined && progress(`${message}\n`),
            },
          ),
        )
        return resultOf(result)
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof ToolFailure) throw error
        throw new ToolFailure(`The MCP server ${server.name} failed: ${(error as Error).message}`)
      }
    },
  }
}

function resultOf({ content = [], structuredContent, isError }: CallToolResult): ToolResult {
  const parts = content.map(show)
  if (parts.length === 0 && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent))
  const text = parts.join('\n')
  const cut = clip(text, mostCharacters)
  const left = text.length - cut.length
  const attachments = content.flatMap((block) =>
    block.type === 'image' ? [{ name: 'image', media_type: block.mimeType, data: block.data }] : [],
  )
  return {
    ...(attachments.length > 0 ? { attachments } : {}),
    content: left > 0 ? `${cut}\n\n(${left} more characters left out.)` : cut === '' ? '(no output)' : cut,
    ...(isError ? { error: true } : {}),
  }
}

function show(block: CallToolResult['content'][number]): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'resource_link':
      return `${block.name}: ${block.uri}`
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `(${block.resource.uri}: not text)`
    case 'image':
    case 'audio':
      return `(${block.mimeType}, ${size(Math.floor((block.data.length * 3) / 4))})`
    default:
      return JSON.stringify(block)
  }
}

/** What providers take for the name of a tool. */
const longestName = 64

export function nameOf(server: string, tool: string): string {
  const name = `mcp_${server}_${tool}`.replace(/[^\w-]/g, '_')
  if (name.length <= longestName) return name
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 6)
  return `${name.slice(0, longestName - 7)}_${mark}`
}

/** What an MCP server is called by: its name, else its package or its host. */
export function serverNameOf({ name, command, args, remote, ref }: Record<string, unknown>): string {
  if (typeof name === 'string') return mcpServerName(name)
  if (isRecord(remote)) {
    return mcpServerName(String(remote['url']))
  }
  const words = Array.isArray(args) ? args.map(String).reverse() : []
  const telling = words.find((each) => /server|mcp/i.test(each)) ?? command ?? ref
  return typeof telling === 'string' ? mcpServerName(telling.replace(/^docker:/, '')) : 'server'
}
