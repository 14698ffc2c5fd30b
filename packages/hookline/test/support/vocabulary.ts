import * as z from 'zod/mini'
import {
  type Call,
  type Dialect,
  defineExecutor,
  type Executor,
  type ToolCall,
  type ToolSection,
  toOurs,
  toTheirs,
  type WireReply,
} from '../../src/core/index.ts'
import { dialectNames, loadDialect } from '../../src/dialects/index.ts'
import { hostDialect, hostNames, loadHost } from '../../src/hosts/index.ts'

/** Every system that raises events: the dialects, and the hosts whose tools we know. */
export async function everyHost(): Promise<Dialect[]> {
  const claude = await loadDialect('claude-code')
  const dialects = await Promise.all(dialectNames.map(loadDialect))
  const hosts = await Promise.all(hostNames.map(async (name) => hostDialect((await loadHost(name))!, claude)))
  return [...dialects, ...hosts]
}

/** A call of each of our tools; `text` is what a guard looks at. */
export const samples: Record<string, (text: string) => Record<string, unknown>> = {
  shell: (command) => ({ command }),
  read_file: (path) => ({ path }),
  read_multiple_files: (path) => ({ paths: ['README.md', path] }),
  write_file: (path) => ({ path, content: 'x' }),
  edit_file: (path) => ({ path, edits: [{ oldText: 'a', newText: 'b' }] }),
  delete_file: (path) => ({ path }),
  list_directory: (path) => ({ path }),
  search_files_content: (query) => ({ query, path: 'src' }),
  search_files: (pattern) => ({ pattern, path: 'src' }),
  fetch: (url) => ({ urls: ['https://example.com', url] }),
  web_search: (query) => ({ query }),
  transfer_task: (task) => ({ agent: 'helper', task }),
  mcp__github__search: (query) => ({ query }),
}

/** What has another shape in a host, as the host writes it. */
const written: Record<string, Record<string, (text: string) => ToolCall>> = {
  codex: {
    write_file: (path) => patch(`*** Add File: ${path}\n+x`),
    edit_file: (path) => patch(`*** Add File: other.txt\n+x\n*** Update File: ${path}\n@@\n-a\n+b`),
    delete_file: (path) => patch(`*** Update File: other.txt\n@@\n-a\n+b\n*** Delete File: ${path}`),
  },
  cline: {
    shell: (command) => ({ tool: 'run_commands', input: { commands: ['ls', command] } }),
    read_file: (path) => ({ tool: 'read_files', input: { files: [{ path: 'README.md' }, { path }] } }),
    write_file: (path) => ({ tool: 'editor', input: { path, new_text: 'x' } }),
    edit_file: (path) => ({ tool: 'editor', input: { path, old_text: 'a', new_text: 'b' } }),
    fetch: (url) => ({ tool: 'fetch_web_content', input: { requests: [{ url: 'https://example.com' }, { url }] } }),
  },
}
const patch = (body: string): ToolCall => ({
  tool: 'apply_patch',
  input: { command: `*** Begin Patch\n${body}\n*** End Patch\n` },
})

/** The call of a host that means this call of ours; undefined when the host has no such tool. */
export function callIn({ name, tools }: Dialect, tool: string, text: string): ToolCall | undefined {
  const own = written[name]?.[tool]
  if (own) return own(text)
  if (!tools || !has(tools, tool)) return undefined
  const call = toTheirs(tools, { tool, input: samples[tool]!(text) }).at(-1)!
  // A host that lacks the tool has only something near it, which is another tool.
  return toOurs(tools, call).some((ours) => ours.tool === tool) ? call : undefined
}

export const has = ({ calls, own, mcp }: ToolSection, tool: string): boolean =>
  own === true || Object.hasOwn(calls, tool) || (mcp !== undefined && tool.startsWith('mcp__'))

/** Names under which a person who writes hooks for this system knows the tool. */
export function nameIn({ tools }: Dialect, tool: string): string {
  return toTheirs(tools!, { tool, input: samples[tool]!('x') })[0]!.tool
}

/** A config of that system with one guard on one tool, as its document shows it. */
export const guardConfigs: Record<string, (tool: string) => unknown> = {
  native: (tool) => ({
    version: 1,
    hooks: [{ event: 'pre_tool_use', matcher: { tool }, run: { type: 'command', command: 'guard' } }],
  }),
  crush: (tool) => ({ hooks: { PreToolUse: [{ matcher: `^${tool}$`, command: 'guard' }] } }),
  'claude-code': (tool) => ({
    hooks: { PreToolUse: [{ matcher: tool, hooks: [{ type: 'command', command: 'guard' }] }] },
  }),
  'docker-agent': (tool) => ({
    agents: {
      root: { hooks: { pre_tool_use: [{ matcher: tool, hooks: [{ type: 'command', command: 'guard' }] }] } },
    },
  }),
  everruns: (tool) => ({
    hooks: [
      {
        id: 'g',
        event: 'pre_tool_use',
        matcher: { tool_name: tool },
        executor: { type: 'bash', command: 'guard' },
        on_error: 'block',
      },
    ],
  }),
  'pydantic-deep': (tool) => ({ hooks: [{ event: 'pre_tool_use', matcher: `^${tool}$`, command: 'guard' }] }),
  starchild: () => ({ hooks: [{ event: 'pre_tool_call', command: '/guard' }] }),
}

/** Runs hooks in this process, in place of programs: gets what a program would read, gives what it would answer. */
export function programs(answer: (body: Record<string, unknown>, call: Call) => WireReply): Executor[] {
  return ['command', 'sandbox'].map((type) =>
    defineExecutor<Record<string, unknown>>({
      type,
      doc: 'A program of the test.',
      spec: z.record(z.string(), z.unknown()) as never,
      pins: () => [],
      run: async (_spec, call) => answer(JSON.parse(call.request().body) as Record<string, unknown>, call),
    }),
  )
}

export const reply = (exit: number, stdout = '', stderr = ''): WireReply => ({ kind: 'wire', exit, stdout, stderr })

/** The call in a payload of that system. */
export function callOf(body: Record<string, unknown>): ToolCall {
  const data = (body['data'] ?? body) as Record<string, unknown>
  return {
    tool: data['tool_name'] as string,
    input: (data['arguments'] ?? data['tool_input']) as Record<string, unknown>,
  }
}
