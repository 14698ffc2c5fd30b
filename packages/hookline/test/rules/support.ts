import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createHooks, type HooksOptions, type RuleEntry } from '../../src/index.ts'

/** An empty project with these files in it. */
export function project(files: Readonly<Record<string, string>> = {}): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'hookline-rules-')))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
  return directory
}

/** What rules say about commands and calls, through the public door: `deny`, `ask`, `allow` or `-`. */
export async function judging(rules: readonly RuleEntry[], options: HooksOptions & { cwd?: string } = {}) {
  const cwd = options.cwd ?? project()
  const hooks = await createHooks({ rules, ...options, cwd })
  onTestFinished(() => hooks.close())
  const call = async (tool_name: string, tool_input: Record<string, unknown>, more: object = {}) =>
    hooks.raise('pre_tool_use', { tool_name, tool_input, cwd, ...more })
  return {
    hooks,
    cwd,
    call,
    run: async (command: string, more: object = {}) => (await call('shell', { command }, more)).decision?.ruling ?? '-',
    tool: async (tool: string, input: Record<string, unknown>, more: object = {}) =>
      (await call(tool, input, more)).decision?.ruling ?? '-',
  }
}
