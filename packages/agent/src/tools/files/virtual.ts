import { posix } from 'node:path'
import { type SandboxEntry as Entry, type Tree, workspace } from 'hookline/internal'
import { ToolFailure } from '../../core/index.ts'
import type { Files, Item, Place, Stat } from './files.ts'

/** Files that exist only for the session: the same for the tools that read and write and for the sandbox's shell. */
export interface VirtualFiles extends Files {
  /** As the shell of the sandbox takes them. */
  readonly tree: Tree
  /** What the shell has changed. */
  apply(changed: Tree, removed: readonly string[]): void
}

const mostLinks = 16
const mostBytes = 16 * 1024 * 1024

/** `cwd` is the workspace on the machine: its paths mean those of the copy. */
export function virtualFiles(cwd: string, tree: Tree = new Map()): VirtualFiles {
  const bytes = () => [...tree.values()].reduce((sum, entry) => sum + sizeOf(entry), 0)

  return {
    tree,
    apply(changed, removed) {
      for (const path of removed) tree.delete(path)
      for (const [path, entry] of changed) tree.set(path, entry)
    },
    locate: async (path) => placeAt(followed(absolute(path))),
    isOrdinary: () => true,
    stat: async ({ path }) => statOf(path),
    async read({ path, shown }) {
      const entry = tree.get(path)
      if (entry?.kind === 'file') return Buffer.from(entry.content)
      throw new ToolFailure(statOf(path) ? `${shown} is a directory.` : `There is no file ${shown}.`)
    },
    async write({ path, shown }, content) {
      const before = tree.get(path)
      if (statOf(path)?.kind === 'directory') throw new ToolFailure(`${shown} is a directory.`)
      const data = Buffer.from(content)
      if (bytes() - sizeOf(before) + data.length > mostBytes)
        throw new ToolFailure(`The sandbox holds ${mostBytes / 1024 / 1024} MiB at most.`)
      makeParents(path)
      tree.set(path, { kind: 'file', content: data, mode: before?.kind === 'file' ? before.mode : 0o644 })
    },
    list: async ({ path }) => childrenOf(path),
    async makeDirectory({ path }) {
      makeParents(`${path}/x`)
    },
    async removeDirectory({ path }) {
      tree.delete(path)
    },
  }

  function absolute(path: string): string {
    if (path.includes('\0')) throw new ToolFailure('A path cannot hold a NUL byte.')
    const inside = path === cwd || path.startsWith(`${cwd}/`) ? workspace + path.slice(cwd.length) : path
    return posix.resolve(workspace, inside)
  }

  function placeAt(path: string): Place {
    const inside = path.startsWith(`${workspace}/`)
    return { path, shown: path === workspace ? '.' : inside ? path.slice(workspace.length + 1) : path }
  }

  function statOf(path: string): Stat | undefined {
    const entry = tree.get(path)
    if (entry?.kind === 'file') return { kind: 'file', size: entry.content.byteLength }
    if (entry?.kind === 'directory' || path === workspace || path === '/') return { kind: 'directory', size: 0 }
    if (entry) return { kind: 'other', size: 0 }
    return childrenOf(path).length > 0 ? { kind: 'directory', size: 0 } : undefined
  }

  function childrenOf(path: string): Item[] {
    const prefix = path === '/' ? '/' : `${path}/`
    const found = new Map<string, Item>()
    for (const [each, entry] of tree) {
      if (!each.startsWith(prefix)) continue
      const [name = '', ...deeper] = each.slice(prefix.length).split('/')
      const kind = deeper.length > 0 ? 'directory' : entry.kind === 'symlink' ? 'link' : entry.kind
      if (name !== '') found.set(name, { name, kind, place: placeAt(prefix + name) })
    }
    return [...found.values()]
  }

  /** Links anywhere on the way are followed, as a system does. */
  function followed(path: string): string {
    let resolved = path
    for (let links = 0; links <= mostLinks; links++) {
      const at = pathsTo(resolved).find((each) => tree.get(each)?.kind === 'symlink')
      const link = at === undefined ? undefined : tree.get(at)
      if (at === undefined || link?.kind !== 'symlink') return resolved
      resolved = posix.join(posix.resolve(posix.dirname(at), link.target), resolved.slice(at.length))
    }
    throw new ToolFailure(`${path} leads in a circle.`)
  }

  function makeParents(path: string): void {
    for (const parent of pathsTo(posix.dirname(path))) {
      const entry = tree.get(parent)
      if (entry?.kind === 'file') throw new ToolFailure(`${placeAt(parent).shown} is a file, not a directory.`)
      if (!entry) tree.set(parent, { kind: 'directory', mode: 0o755 })
    }
  }
}

/** `/a`, `/a/b`, `/a/b/c`: parents before children, as the tree wants them. */
function pathsTo(path: string): string[] {
  const steps = path.split('/').filter((step) => step !== '')
  return steps.map((_, index) => `/${steps.slice(0, index + 1).join('/')}`)
}

const sizeOf = (entry: Entry | undefined): number => (entry?.kind === 'file' ? entry.content.byteLength : 0)
