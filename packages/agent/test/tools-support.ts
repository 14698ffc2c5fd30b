import { realpathSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import type { Note } from '../../hookline/src/core/index.ts'
import { scratch } from '../../hookline/test/support/scratch.ts'
import type { ToolsetSpec } from '../src/core/team.ts'
import type { ToolResult, ToolRun } from '../src/core/tool.ts'
import { type OpenToolsOptions, openTools } from '../src/tools/index.ts'
import { agentWith } from './agent-with.ts'

export interface Bench {
  cwd: string
  notes: Note[]
  names(): string[]
  parse(name: string, input: Record<string, unknown>): string | Record<string, unknown>
  readOnly(name: string, input: Record<string, unknown>): boolean
  /** As the loop does it: read the arguments, then run; what is thrown becomes the result. */
  call(name: string, input: Record<string, unknown>, run?: Partial<ToolRun>): Promise<ToolResult>
  close(): Promise<void>
}

/** Real tools over a directory of the test's own. */
export async function bench(
  toolsets: readonly (string | ToolsetSpec)[],
  files: Readonly<Record<string, string>> = {},
  options: Partial<OpenToolsOptions> = {},
): Promise<Bench> {
  const cwd = options.cwd ?? realpathSync(scratch(files))
  const notes: Note[] = []
  const specs = toolsets.map((each) => (typeof each === 'string' ? { type: each } : each))
  const open = await openTools(agentWith(...specs), { warn: (note) => notes.push(note), ...options, cwd })
  onTestFinished(() => open.close())
  const tool = (name: string) => {
    const found = open.tools.find((each) => each.name === name)
    if (!found) throw new Error(`no tool ${name}: ${open.tools.map((each) => each.name)}`)
    return found
  }
  const parse: Bench['parse'] = (name, input) => {
    const read = tool(name).parse(input)
    return read.ok ? read.input : read.problem
  }
  return {
    cwd,
    notes,
    names: () => open.tools.map(({ name }) => name),
    parse,
    readOnly(name, input) {
      const read = parse(name, input)
      return typeof read !== 'string' && tool(name).readOnly?.(read) === true
    },
    async call(name, input, run = {}) {
      const read = parse(name, input)
      if (typeof read === 'string') return { content: read, error: true }
      const signal = run.signal ?? new AbortController().signal
      try {
        return await tool(name).run(read, {
          id: 'call-1',
          cwd,
          sessionId: 's1',
          agent: 'root',
          progress() {},
          ...run,
          signal,
        })
      } catch (error) {
        return { content: (error as Error).message, error: true }
      }
    },
    close: () => open.close(),
  }
}
