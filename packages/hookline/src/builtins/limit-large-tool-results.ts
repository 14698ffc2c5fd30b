import { join } from 'node:path'
import { byEvent, defineBuiltin, stringifyJson } from '../core/index.ts'
import { noArgs } from './parts.ts'

const mostBytes = 51_200
const mostLines = 2_000

/** Toolsets whose results come from outside and may be of any size; a host without categories means all tools. */
const categories = new Set(['filesystem', 'shell', 'mcp', 'a2a'])

export const limitLargeToolResults = defineBuiltin({
  name: 'limit_large_tool_results',
  liveOutput: true,
  doc: 'Puts a result of more than 2,000 lines or 50 KiB into a private file, and shows the model where it is and how it ends. Let it run in a later stage than what redacts.',
  ...byEvent<Record<string, never>>({
    tool_response_transform({ payload, original }, _args, kit) {
      const { tool_response: response, tool_category: category } = payload
      if (response === undefined || (category !== undefined && !categories.has(category))) return undefined
      // Another host shows the model a part of such a result, and takes no text in its place.
      if (original && typeof response !== 'string') return undefined
      const text = typeof response === 'string' ? response : stringifyJson(response)
      if (text.length <= mostLines) return undefined
      const bytes = Buffer.byteLength(text)
      if (bytes <= mostBytes && countLines(text) <= mostLines) return undefined
      const path = join(
        directoryOf(kit.dataDir, payload.session_id),
        `tool-result-${kit.now().getTime()}-${unique()}.txt`,
      )
      return kit.write(path, text).then(() => ({ rewrite: { mode: 'replace', value: notice(bytes, path, text) } }))
    },
    async session_end({ payload }, _args, kit) {
      await kit.remove(directoryOf(kit.dataDir, payload.session_id))
      return undefined
    },
  }),
  args: noArgs,
  // What it takes out of a result is in a file of ours, and the notice says where.
  does: [],
  examples: [
    {
      title: 'a small result stays as it is',
      event: 'tool_response_transform',
      payload: { tool_name: 'shell', tool_input: {}, tool_category: 'shell', tool_response: 'fine' },
      expect: undefined,
    },
    {
      title: 'a toolset of the agent itself is left alone',
      event: 'tool_response_transform',
      payload: { tool_name: 'plan', tool_input: {}, tool_category: 'plan', tool_response: 'x\n'.repeat(3_000) },
      expect: undefined,
    },
  ],
})

function notice(bytes: number, path: string, text: string): string {
  return (
    `Tool call result was too large (${bytes} bytes; limit ${mostBytes} bytes). The full result is available in a file: ${path}\n\n` +
    `Showing the last ${mostLines} lines (up to ${mostBytes} bytes):\n\n${tail(text)}`
  )
}

/** A newline at the very end does not begin another line. */
function countLines(text: string): number {
  const breaks = text.split('\n').length - 1
  return text.endsWith('\n') ? breaks : breaks + 1
}

function tail(text: string): string {
  const lines = text.split('\n')
  const wanted = text.endsWith('\n') ? mostLines + 1 : mostLines
  const buffer = Buffer.from(lines.slice(-wanted).join('\n'))
  if (buffer.length <= mostBytes) return buffer.toString()
  let start = buffer.length - mostBytes
  while (((buffer[start] ?? 0) & 0xc0) === 0x80) start++ // not into the middle of a character
  return buffer.subarray(start).toString()
}

const directoryOf = (dataDir: string, session: string | undefined) =>
  join(dataDir, 'tool-results', encodeURIComponent(session || 'unknown').replaceAll('.', '%2E'))

let results = 0
const unique = (): string => `${process.pid}-${++results}`
