import { realpath } from 'node:fs/promises'
import { posix } from 'node:path'
import { checkPath, homeDirectory, loadSandboxes, type Sandbox, type Tree, workspace } from 'hookline/internal'
import { diskFiles } from './files/disk.ts'
import { walk } from './files/files.ts'
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

const mostFiles = 2_000
const mostBytes = 8 * 1024 * 1024
const largestFile = 1024 * 1024

export interface Copy {
  tree: Tree
  /** Files of the workspace that were left out for their size or number. */
  left: number
}

/**
 * What the sandbox starts with: the files of the workspace, as far as git would keep them, without those that hold
 * secrets. Nothing is ever copied back.
 */
export async function copyWorkspace(cwd: string, home: string, signal: AbortSignal): Promise<Copy> {
  const files = diskFiles({ cwd, home, roots: [cwd], denied: [], readable: [] })
  const tree: Tree = new Map()
  let [bytes, copied, left] = [0, 0, 0]
  for await (const { kind, place, path } of walk(files, await files.locate('.', 'read'), { ignore: true, signal })) {
    const target = posix.join(workspace, ...path)
    if (kind === 'directory') tree.set(target, { kind, mode: 0o755 })
    if (kind !== 'file' || isSensitive(place.path, home)) continue
    const { size = 0 } = (await files.stat(place)) ?? {}
    const fits = size <= largestFile && bytes + size <= mostBytes && copied < mostFiles
    const content = fits ? await files.read(place).catch(() => undefined) : undefined
    if (!content) {
      left++
      if (left > 10_000) break
      continue
    }
    bytes += content.length
    copied++
    tree.set(target, { kind, content, mode: 0o644 })
  }
  return { tree, left }
}

const isSensitive = (path: string, home: string) => checkPath({ path, access: 'read', home }).verdict === 'sensitive'
