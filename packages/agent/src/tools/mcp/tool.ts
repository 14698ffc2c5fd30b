import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/client'
import type { Tool, ToolResult } from '../../tool.ts'
import { ToolFailure } from '../define.ts'
import { clip, size } from '../text.ts'
import type { Server } from './connection.ts'
import { nameOf } from './names.ts'

const mostCharacters = 100_000

/** A tool of a server as one of the agent's. */
export function toolOf(server: Server, tool: McpTool, callMs: number): Tool {
  const { required = [] } = tool.inputSchema
  return {
    name: nameOf(server.name, tool.name),
    description: tool.description ?? tool.title ?? tool.name,
    category: 'mcp',
    parameters: tool.inputSchema as Record<string, unknown>,
    readOnly: () => tool.annotations?.readOnlyHint === true,
    parse(input) {
      const missing = required.filter((key) => input[key] === undefined)
      if (missing.length === 0) return { ok: true, input }
      return { ok: false, problem: `Missing: ${missing.map((key) => `\`${key}\``).join(', ')}.` }
    },
    async run(input, { signal, progress }) {
      const client = await server.client()
      try {
        const result = await client.callTool(
          { name: tool.name, arguments: input },
          {
            signal,
            timeout: callMs,
            resetTimeoutOnProgress: true,
            onprogress: ({ message }) => message !== undefined && progress(`${message}\n`),
          },
        )
        return resultOf(result)
      } catch (error) {
        signal.throwIfAborted()
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
  return {
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
