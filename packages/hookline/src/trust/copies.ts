import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { homeDirectory, makeDirectory, realPath } from '../platform/index.ts'
import { makePrivate } from './approvals.ts'
import type { PinnedFile } from './digest.ts'
import { hashOfFile, isInside, sha256Of, stampOf } from './files.ts'
import { isLoadable } from './loads.ts'
import type { CopyOf } from './pinned.ts'

type PresentFile = Exclude<PinnedFile, { missing: true }>

/** The approved bytes as files, and where each of them is. */
export interface Copies {
  /** What stands before the path of an original in the path of its copy. */
  root: string
  copyOf: CopyOf
}

/**
 * Copies of the bytes that were looked at, where only their owner can write, in a tree of the same shape: a script
 * finds its siblings beside it, the approved ones as copies, data as links to where it is, and no other code: so
 * neither what is swapped between the look and the run, nor what was put beside it since, is what runs. Throws when
 * the bytes are not those that were looked at.
 */
export function copiesOf(store: string, digest: string, pinned: readonly PinnedFile[]): Copies {
  const root = join(placeFor(store), digest.replace(/^sha256:/, '').slice(0, 32))
  const files = pinned.filter((file) => !('missing' in file)) as PresentFile[]
  const tree = treeOf(root, files)
  if (!files.every((file) => isIntact(root + file.realpath, file))) makeCopies(root, files, tree)
  for (const directory of tree.around) linkSiblings(root, directory, tree)
  return { root, copyOf: (path) => root + (tree.names.get(path) ?? path) }
}

/** Of a hook that is approved no longer. */
export function dropCopies(store: string, digests: Iterable<string>): void {
  for (const digest of digests)
    rmSync(join(store, 'copies', digest.replace(/^sha256:/, '').slice(0, 32)), { recursive: true, force: true })
}

/** Where everything goes: the same for the same files, so it is found out once. */
interface Tree {
  /** The name by which each file is called, in the directory that really holds that name. */
  names: ReadonlyMap<string, string>
  /** The files, and every directory above them. */
  own: ReadonlySet<string>
  directories: readonly string[]
  /** Where scripts look for what they load. */
  around: ReadonlySet<string>
  /** The directories of the files themselves: no code but the approved is found there. */
  beside: ReadonlySet<string>
}

const trees = new Map<string, Tree>()

function treeOf(root: string, files: readonly PresentFile[]): Tree {
  const key = [root, ...files.map(({ path }) => path)].join('\0')
  const known = trees.get(key)
  if (known) return known
  const names = new Map(
    files.map(({ path }) => [path, join(realpathSync.native(dirname(path)), basename(path))] as const),
  )
  const taken = new Set([...files.map(({ realpath }) => realpath), ...names.values()])
  const directories = directoriesOf(taken)
  const beside = new Set([...taken].map((path) => dirname(path)))
  const tree = { names, own: new Set([...taken, ...directories]), directories, around: lookedAround(taken), beside }
  if (trees.size > 1_000) trees.clear()
  trees.set(key, tree)
  return tree
}

function makeCopies(root: string, files: readonly PresentFile[], { names, directories }: Tree): void {
  for (const directory of directories) {
    ensureDirectory(root + directory)
    linked.delete(root + directory)
  }
  for (const file of files) {
    const copy = root + file.realpath
    if (!isIntact(copy, file)) makeCopy(copy, file)
    const name = names.get(file.path)!
    if (name !== file.realpath) turnLink(root + name, copy)
  }
}

const places = new Map<string, string>()

/** Beside the approvals; where nothing can be written there, in a directory that ends with this process. */
function placeFor(store: string): string {
  const known = places.get(store)
  if (known !== undefined) return known
  const place = writablePlace(join(store, 'copies'))
  places.set(store, place)
  return place
}

function writablePlace(usual: string): string {
  try {
    makePrivate(usual)
    const stats = lstatSync(usual)
    if (!stats.isDirectory() || !isOwn(stats)) throw new Error(`${usual} is not a directory of yours`)
    accessSync(usual, constants.W_OK)
    return usual
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    const place = mkdtempSync(join(realPath(tmpdir()), 'hookline-'))
    process.once('exit', () => rmSync(place, { recursive: true, force: true }))
    return place
  }
}

function directoriesOf(paths: Iterable<string>): string[] {
  const found = new Set<string>()
  for (const path of paths) for (let at = dirname(path); at !== dirname(at); at = dirname(at)) found.add(at)
  return [...found].sort()
}

/** Where scripts look for what they load: beside them, and further up until the things of a person or project end. */
function lookedAround(paths: Iterable<string>): Set<string> {
  const found = new Set<string>()
  for (const path of paths) {
    const beside = dirname(path)
    for (let at = beside; !isShared(at) && (at === beside || !isInside(homeDirectory(), at)); at = dirname(at))
      found.add(at)
  }
  return found
}

/** With the sticky bit, as /tmp has it: neighbours there are strangers. */
const isShared = (directory: string): boolean =>
  directory === dirname(directory) || (statSync(directory).mode & 0o1000) !== 0

function ensureDirectory(directory: string): void {
  const stats = lstatSync(directory, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return
  if (stats) rmSync(directory)
  makeDirectory(directory)
}

const intact = new Map<string, string>()
const modeOf = (file: PresentFile): number => 0o400 | (file.mode & 0o111 ? 0o100 : 0)

/** Read once by each process, and again only when its stamp has changed. */
function isIntact(copy: string, file: PresentFile): boolean {
  const stats = lstatSync(copy, { bigint: true, throwIfNoEntry: false })
  if (!stats?.isFile() || !isOwn(stats) || Number(stats.mode & 0o7777n) !== modeOf(file)) return false
  const proof = `${stampOf(stats) ?? Math.random()} ${file.sha256}`
  if (intact.get(copy) === proof) return true
  if (hashOfFile(copy) !== file.sha256) return false
  if (intact.size > 1_000) intact.clear()
  intact.set(copy, proof)
  return true
}

function makeCopy(copy: string, file: PresentFile): void {
  const bytes = readRegular(file.realpath)
  if (sha256Of(bytes) !== file.sha256) throw new Error(`${file.path} was changed just now`)
  rmSync(copy, { recursive: true, force: true })
  const draft = `${copy}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, bytes, { mode: 0o600, flag: 'wx' })
  chmodSync(draft, modeOf(file))
  renameSync(draft, copy)
}

function readRegular(path: string): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const linked = new Map<string, { stamp: string; directories: readonly string[] }>()
/** More than this beside a script are no siblings of it. */
const mostSiblings = 5_000

/** In a tree of links, git would see nothing but changes; and Python would run what it finds compiled, whoever put it there. */
const unlinked = new Set(['.git', '__pycache__'])

/** What lies beside the copies, as it is now. */
function linkSiblings(root: string, directory: string, { own, beside }: Tree): void {
  const stamp = stampOf(statSync(directory, { bigint: true }))
  const mirror = root + directory
  const before = linked.get(mirror)
  const isCode = (name: string) => beside.has(directory) && isLoadable(join(directory, name))
  // A directory becomes a package by what is put into it, which its parent does not show.
  if (stamp !== undefined && before?.stamp === stamp && !before.directories.some(isCode)) return
  const entries = readdirSync(directory, { withFileTypes: true })
  if (entries.length > mostSiblings) return
  const there = new Set(entries.map(({ name }) => name))
  const known = new Set(readdirSync(mirror))
  const isOther = (name: string) => !unlinked.has(name) && !own.has(join(directory, name))
  for (const name of known) if (isOther(name) && (!there.has(name) || isCode(name))) dropLink(join(mirror, name))
  for (const name of there)
    if (isOther(name) && !known.has(name) && !isCode(name)) keepLink(join(mirror, name), join(directory, name))
  if (linked.size > 1_000) linked.clear()
  const directories = entries.filter((entry) => !entry.isFile() && isOther(entry.name)).map(({ name }) => name)
  if (stamp !== undefined) linked.set(mirror, { stamp, directories })
}

function keepLink(link: string, target: string): void {
  try {
    symlinkSync(target, link)
  } catch (error) {
    // Somebody else was faster, or it is there since the last time.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function turnLink(link: string, target: string): void {
  const stats = lstatSync(link, { throwIfNoEntry: false })
  if (stats?.isSymbolicLink() && readlinkSync(link) === target) return
  if (stats) rmSync(link, { recursive: true })
  keepLink(link, target)
}

function dropLink(link: string): void {
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) unlinkSync(link)
}

const isOwn = ({ uid }: { uid: number | bigint }): boolean =>
  process.getuid === undefined || Number(uid) === process.getuid()
