import { mcpServerName } from 'hookline/internal'

/** What a server is called that has no name: after its host, or after the package in its command. */
export function serverNameOf(source: string | readonly string[]): string {
  if (typeof source === 'string') return mcpServerName(source)
  const words = source.filter((word) => !word.startsWith('-'))
  return mcpServerName(words.findLast((word) => /server|mcp/i.test(word)) ?? words[0] ?? '')
}
