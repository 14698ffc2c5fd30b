import { constants, type Stats } from 'node:fs'
import { lstat, open, readdir, realpath, rmdir } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { checkPath, makeDirectory, realPath } from 'hookline/internal'
import { ToolFailure } from '../../core/index.ts'
import { type Files, type Item, largestFile, type Place, type Stat } from './files.ts'

export interface DiskOptions {
  /** The workspace, with symlinks resolved. */
  cwd: string
  home: string
  /** Directories that may be entered; the workspace, if none is named. */
  roots: readonly string[]
  /** Of those, what may not be. */
  denied: readonly string[]
  /** Directories that may be read besides, such as where long results are kept. */
  readable: readonly string[]
}

/** Real files, inside the roots wherever symlinks lead. */
export function diskFiles(options: DiskOptions): Files {
  const { cwd, home } = options

  return {
    async locate(path, access) {
      const wanted = absolute(path, options)
      const real = await followed(wanted)
      const roots = access === 'read' ? [...options.roots, ...options.readable] : options.roots
      if (!isInside(real, roots) || isInside(real, options.denied)) throw new ToolFailure(refusal(path, real, options))
      return placeAt(real)
    },
    isOrdinary(path) {
      if (path.includes('\0')) return false
      const wanted = absolute(path, options)
      const question = { path: wanted, access: 'read', home, realpath: realPath(wanted) } as const
      return checkPath(question).verdict === 'ordinary'
    },
    async stat({ path }) {
      const found = await lstat(path).catch(() => undefined)
      return found && { kind: kindOf(found), size: found.size }
    },
    async read(place) {
      const file = await openFile(place, constants.O_RDONLY)
      try {
        const { size } = await file.stat()
        if (size > largestFile) throw new ToolFailure(`${place.shown} is too large to be read: ${size} bytes.`)
        return await file.readFile()
      } finally {
        await file.close()
      }
    },
    async write(place, content) {
      makeDirectory(dirname(place.path), 0o777)
      const file = await openFile(place, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC)
      try {
        await file.writeFile(content)
      } finally {
        await file.close()
      }
    },
    async list(place) {
      const entries = await readdir(place.path, { withFileTypes: true })
      return entries.map((entry): Item => {
        const kind = entry.isSymbolicLink() ? 'link' : kindOf(entry)
        return { name: entry.name, kind, place: placeAt(join(place.path, entry.name)) }
      })
    },
    makeDirectory: async ({ path }) => makeDirectory(path, 0o777),
    removeDirectory: ({ path }) => rmdir(path),
  }

  function placeAt(path: string): Place {
    const shown = relative(cwd, path)
    return { path, shown: shown === '' ? '.' : shown.startsWith('..') ? path : shown }
  }
}

function absolute(path: string, { cwd, home }: DiskOptions): string {
  if (path.includes('\0')) throw new ToolFailure('A path cannot hold a NUL byte.')
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1))
  return resolve(cwd, path)
}

/** The path without symlinks. Of what does not exist yet, the directory that does. */
async function followed(path: string, depth = 0): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const parent = dirname(path)
    if (parent === path || depth > 255) throw new ToolFailure(`${path} cannot be followed.`)
    // A dangling link would create its target, which was not checked.
    const link = await lstat(path).catch(() => undefined)
    if (link?.isSymbolicLink()) throw new ToolFailure(`${path} is a link that leads nowhere: ${codeOf(error)}.`)
    return join(await followed(parent, depth + 1), basename(path))
  }
}

/** The last step must still be no link, and nothing that would make us wait. */
async function openFile({ path, shown }: Place, flags: number) {
  try {
    const file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o666)
    const found = await file.stat()
    if (found.isFile()) return file
    await file.close()
    throw new ToolFailure(`${shown} is ${found.isDirectory() ? 'a directory' : 'no regular file'}.`)
  } catch (error) {
    if (error instanceof ToolFailure) throw error
    const code = codeOf(error)
    throw new ToolFailure(reasons[code]?.(shown) ?? `${shown} cannot be opened: ${code}.`)
  }
}

const reasons: Record<string, (shown: string) => string> = {
  ENOENT: (shown) => `There is no file ${shown}.`,
  EACCES: (shown) => `${shown} may not be opened: permission denied.`,
  EISDIR: (shown) => `${shown} is a directory.`,
  ENOTDIR: (shown) => `A part of ${shown} is a file, not a directory.`,
  ENXIO: (shown) => `${shown} is no regular file.`,
  ELOOP: (shown) => `${shown} is a link.`,
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)

function kindOf(found: Pick<Stats, 'isFile' | 'isDirectory'>): Stat['kind'] {
  return found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other'
}

function isInside(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => {
    const way = relative(root, path)
    return way === '' || !(way === '..' || way.startsWith('../') || isAbsolute(way))
  })
}

function refusal(path: string, real: string, { roots, cwd }: DiskOptions): string {
  const through = resolve(cwd, path) === real ? '' : ` (it leads to ${real})`
  return `${path} is outside of what you may touch${through}. Use a path inside ${roots.join(' or ')}.`
}
