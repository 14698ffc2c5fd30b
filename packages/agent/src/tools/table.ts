import type { Toolset } from './toolset.ts'

// biome-ignore lint/suspicious/noExplicitAny: the options are the toolset's own affair
type AnyToolset = Toolset<any>

/** Every toolset that an agent file can name, by docker-agent's names; loaded when one does. */
export const toolsets: Readonly<Record<string, () => Promise<AnyToolset>>> = {
  filesystem: async () => (await import('./filesystem/index.ts')).filesystem,
  file: async () => (await import('./filesystem/index.ts')).file,
  shell: async () => (await import('./shell/index.ts')).shellToolset,
  background_jobs: async () => (await import('./shell/index.ts')).backgroundJobs,
  script: async () => (await import('./shell/index.ts')).scripts,
  fetch: async () => (await import('./fetch/index.ts')).fetchToolset,
  think: async () => (await import('./think.ts')).thinkToolset,
  todo: async () => (await import('./todo.ts')).todoToolset,
  memory: async () => (await import('./memory.ts')).memoryToolset,
  mcp: async () => (await import('./mcp/index.ts')).mcpToolset,
}

/** Toolsets that are part of the loop itself: naming them is right, and there is nothing to open. */
export const ofTheLoop: readonly string[] = ['user_prompt', 'transfer_task', 'handoff', 'background_agents']
