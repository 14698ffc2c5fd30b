import { spawnSync } from 'node:child_process'
import {
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { isDirectory, realPath } from '../../platform/index.ts'
import { harmlessGit } from '../../shell/index.ts'
import { isInside } from '../../trust/index.ts'

/** A copy of the project that hooks can do with as they like. */
export interface ProjectCopy {
  root: string
  copy: string
  files: number
  bytes: number
  /** The same text with the paths of the project as those of the copy, and the other way round. */
  toCopy(text: string): string
  toProject(text: string): string
}

export type Copied = { ok: true; project: ProjectCopy } | { ok: false; reason: string }

/** More than this takes longer than anybody waits for a check, and fills up what is often memory. */
const most = { files: 20_000, bytes: 256 * 1024 * 1024 }

/** What package managers install is linked, entry by entry: hooks need their tools, and nobody edits them there. */
const installed: ReadonlySet<string> = new Set(['node_modules', '.venv', 'venv'])

/**
 * Copies the project around a directory: all of it, or only what git would commit where all is too much. The
 * repository becomes a clone that shares its objects and has no remote, with the same index.
 */
export function copyProject(cwd: string, configs: readonly string[], into: string): Copied {
  const root = rootOf(cwd, configs)
  if (dirname(root) === root) return { ok: false, reason: 'it is the whole machine' }
  const isRepository = existsSync(join(root, '.git'))
  const all = measured(walk(root, into), root)
  const list = 'reason' in all && isRepository ? measured(committable(root), root) : all
  if ('reason' in list) return { ok: false, reason: list.reason }
  const copy = join(into, 'project')
  mkdirSync(copy)
  if (isRepository) cloneInto(root, copy)
  for (const directory of new Set(list.paths.map(dirname))) mkdirSync(join(copy, directory), { recursive: true })
  for (const path of list.paths) copyOne(root, copy, path)
  const real = realPath(root)
  const toCopy = (text: string) => moved(moved(text, real, copy), root, copy)
  const toProject = (text: string) => moved(text, copy, root)
  return { ok: true, project: { root, copy, files: list.paths.length, bytes: list.bytes, toCopy, toProject } }
}

/** The repository, else the highest directory of those above that has a config, else the directory itself. */
function rootOf(cwd: string, configs: readonly string[]): string {
  const above = [cwd]
  while (dirname(above.at(-1)!) !== above.at(-1)) above.push(dirname(above.at(-1)!))
  const places = configs.map((file) => dirname(resolve(file)).replace(/[/\\]\.(?:hookline|claude)$/, ''))
  return above.find((each) => existsSync(join(each, '.git'))) ?? above.findLast((each) => places.includes(each)) ?? cwd
}

/** Paths below the root: files, links, and the empty directories among them. */
function* walk(root: string, without: string, below = ''): Generator<string> {
  const entries = readable(join(root, below))
  if (entries.length === 0 && below !== '') yield below
  for (const entry of entries) {
    const path = join(below, entry.name)
    if (entry.name === '.git' || join(root, path) === without) continue
    if (!entry.isDirectory()) yield path
    else if (installed.has(entry.name)) yield* toolsIn(root, path)
    else yield* walk(root, without, path)
  }
}

/** Without the caches beside them, which tools do write to. */
function toolsIn(root: string, directory: string): string[] {
  const names = readable(join(root, directory)).map(({ name }) => name)
  return names.filter((name) => /^(?!\.)|^\.(?:bin|pnpm)$/.test(name)).map((name) => join(directory, name))
}

function readable(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch {
    return []
  }
}

function committable(root: string): string[] {
  return git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0').filter(Boolean)
}

function measured(found: Iterable<string>, root: string): { paths: string[]; bytes: number } | { reason: string } {
  const paths: string[] = []
  let bytes = 0
  for (const path of found) {
    paths.push(path)
    bytes += sizeOf(join(root, path))
    if (paths.length > most.files) return { reason: `it has more than ${most.files / 1000},000 files` }
    if (bytes > most.bytes) return { reason: `it is larger than ${most.bytes / 1024 / 1024} MiB` }
  }
  return { paths, bytes }
}

function sizeOf(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isFile() && !isInstalled(path) ? stats.size : 0
}

const isInstalled = (path: string): boolean => path.split(sep).some((part) => installed.has(part))

/** What cannot be read or is no file, such as a socket, is left out. */
function copyOne(root: string, copy: string, path: string): void {
  const [from, to] = [join(root, path), join(copy, path)]
  try {
    const stats = lstatSync(from)
    if (stats.isSymbolicLink()) symlinkSync(linkIn(copy, root, from), to)
    else if (isInstalled(path)) symlinkSync(from, to)
    else if (stats.isDirectory()) mkdirSync(to, { recursive: true })
    else if (stats.isFile()) {
      copyFileSync(from, to, constants.COPYFILE_FICLONE)
      utimesSync(to, stats.atime, stats.mtime)
    }
  } catch {}
}

/** A link into the project leads into the copy; any other leads where it led. */
function linkIn(copy: string, root: string, link: string): string {
  const target = resolve(dirname(link), readlinkSync(link))
  return isInside(target, root) ? join(copy, relative(root, target)) : target
}

function cloneInto(root: string, copy: string): void {
  git(root, 'clone', '--quiet', '--shared', '--no-checkout', root, copy)
  if (!isDirectory(join(copy, '.git'))) return
  git(copy, 'remote', 'remove', 'origin')
  const index = resolve(root, git(root, 'rev-parse', '--git-path', 'index').trim())
  if (existsSync(index)) copyFileSync(index, join(copy, '.git', 'index'))
}

/** What it prints; nothing, where there is no git or it refuses. */
function git(cwd: string, ...args: string[]): string {
  // Cloning from a directory counts as a protocol.
  const env = { ...harmlessGit(process.env, cwd), GIT_ALLOW_PROTOCOL: 'file' }
  const most = 64 * 1024 * 1024
  return (
    spawnSync('git', args, { cwd, env, encoding: 'utf8', maxBuffer: most, stdio: ['ignore', 'pipe', 'ignore'] })
      .stdout ?? ''
  )
}

/** Where the path ends there, or goes on below. */
function moved(text: string, from: string, to: string): string {
  const parts = text.split(from)
  return parts.reduce((left, right) => `${left}${/^[\w.-]/.test(right) ? from : to}${right}`)
}
