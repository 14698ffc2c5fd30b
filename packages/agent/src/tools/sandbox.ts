import { realpath } from 'node:fs/promises'
import { homeDirectory, loadSandboxes, type Sandbox } from 'hookline/internal'
import { copyWorkspace } from './files/copy.ts'
import { type VirtualFiles, virtualFiles } from './files/virtual.ts'

/** One sandbox for all agents of a session: what one writes, the others read. Nothing of it reaches the machine. */
export interface SandboxSession {
  files: VirtualFiles
  shell: Sandbox
  /** Files of the workspace that did not fit in. */
  left: number
  close(): Promise<void>
}

export async function openSandbox(options: {
  cwd: string
  home?: string
  signal?: AbortSignal
}): Promise<SandboxSession> {
  const cwd = await realpath(options.cwd)
  const { signal = new AbortController().signal, home = homeDirectory() } = options
  const { tree, left } = await copyWorkspace(cwd, home, signal)
  const shell = (await loadSandboxes()).createSandbox()
  shell.warm()
  return { files: virtualFiles(cwd, tree), shell, left, close: () => shell.close() }
}
