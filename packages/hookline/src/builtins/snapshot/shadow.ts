import { createHash } from 'node:crypto'
import { dirname, join, relative, sep } from 'node:path'
import type { BuiltinKit } from '../../core/index.ts'
import { harmlessGitEnvironment, harmlessGitSettings, pathOutside } from '../../shell/index.ts'

export type SnapshotKit = Pick<
  BuiltinKit,
  'cwd' | 'dataDir' | 'exec' | 'exclusive' | 'kind' | 'now' | 'read' | 'realpath' | 'remove' | 'size' | 'write'
> &
  Partial<Pick<BuiltinKit, 'env'>>

/**
 * A repository of ours beside the user's, over the same working tree: it keeps what files looked like, as trees and
 * never as commits, and the user's own `.git` is only read.
 */
export interface Shadow {
  directory: string
  /** The state of the files now, as the name of a tree. */
  capture(): Promise<string>
  /** Which files differ between two states, from the root of the working tree. */
  changed(before: string, after: string): Promise<string[]>
  /** The path from the root of the working tree; undefined for what lies outside it. */
  inside(path: string): string | undefined
  /** Whether every one of these files is in that state. */
  holds(tree: string, files: readonly string[]): Promise<boolean>
  /** Puts these files back to how they were. */
  restore(tree: string, files: readonly string[]): Promise<void>
  /** Forgets what is older than a week. */
  tidy(): Promise<void>
}

/** A new file larger than this is not kept: it is a build product or data, not work. */
const largestNewFile = 2 * 1024 * 1024

/** A command line takes so many paths without trouble. */
const batchSize = 100

/** Undefined outside a git repository, or when git is missing. */
export async function openShadow(kit: SnapshotKit): Promise<Shadow | undefined> {
  const query = ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-path', 'info/exclude']
  const [root, excludes] = (await run(kit, ['-C', kit.cwd, ...query]))?.split('\n') ?? []
  if (!root || !excludes) return undefined
  const scope =
    relative(root, await kit.realpath(kit.cwd))
      .split(sep)
      .join('/') || '.'
  const directory = join(kit.dataDir, 'snapshot', createHash('sha256').update(root).digest('hex'))
  const shadow = (args: readonly string[], input?: string) =>
    need(run(kit, ['-C', root, `--git-dir=${directory}`, `--work-tree=${root}`, ...args], input), args)

  return {
    directory,
    async capture() {
      if ((await kit.kind(join(directory, 'HEAD'))) === undefined)
        await need(run(kit, ['init', '-q', '--bare', directory]), ['init'])
      await mirrorRules()
      const listing = ['ls-files', '-z', '--exclude-standard']
      const [states, stale] = await Promise.all([
        shadow([...listing, '-t', '--modified', '--deleted', '--others', '--', scope]),
        shadow([...listing, '--cached', '--ignored', '--', scope]),
      ])
      const changed = [...new Set(split(states))].map((line) => ({ fresh: line.startsWith('?'), path: line.slice(2) }))
      const known = changed.filter(({ fresh }) => !fresh).map(({ path }) => path)
      const fresh = changed.filter((each) => each.fresh).map(({ path }) => path)
      const ignored = await ignoredBySource([...new Set([...known, ...fresh])])
      const dropped = [...split(stale), ...known.filter((path) => ignored.has(path))]
      if (dropped.length > 0) await shadow(['update-index', '-z', '--force-remove', '--stdin'], join0(dropped))
      const kept = [...new Set([...known, ...(await withoutLarge(fresh))])].filter((path) => !ignored.has(path))
      if (kept.length > 0)
        await shadow(['add', '--all', '--force', '--pathspec-from-file=-', '--pathspec-file-nul'], join0(kept))
      return (await shadow(['write-tree'])).trim()
    },
    async changed(before, after) {
      return split(await shadow(['diff-tree', '-r', '-z', '--name-only', '--no-renames', before, after, '--', scope]))
    },
    inside: (path) =>
      path.startsWith(`${root}${sep}`)
        ? path
            .slice(root.length + 1)
            .split(sep)
            .join('/')
        : undefined,
    async holds(tree, files) {
      for (let at = 0; at < files.length; at += batchSize) {
        const batch = files.slice(at, at + batchSize)
        const listing = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree, '--', ...batch]
        const known = new Set(split(await shadow(listing)))
        if (!batch.every((path) => known.has(path))) return false
      }
      return true
    },
    async restore(tree, files) {
      for (let at = 0; at < files.length; at += batchSize) {
        const batch = files.slice(at, at + batchSize)
        const known = new Set(
          split(await shadow(['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree, '--', ...batch])),
        )
        const back = batch.filter((path) => known.has(path))
        if (back.length > 0)
          await shadow(
            ['checkout', '-q', '--force', tree, '--pathspec-from-file=-', '--pathspec-file-nul'],
            join0(back),
          )
        for (const path of batch) if (!known.has(path)) await removeInside(path)
      }
    },
    async tidy() {
      if ((await kit.kind(join(directory, 'HEAD'))) !== undefined) await shadow(['gc', '-q', '--prune=7.days'])
    },
  }

  /** The source's own list of ignored files; and bytes as they are, whatever filters and line endings it asks for. */
  async function mirrorRules(): Promise<void> {
    await kit.write(join(directory, 'info', 'exclude'), (await kit.read(excludes as string)) ?? '')
    await kit.write(join(directory, 'info', 'attributes'), '* -text -filter -ident -working-tree-encoding\n')
  }

  async function ignoredBySource(paths: readonly string[]): Promise<Set<string>> {
    if (paths.length === 0) return new Set()
    return new Set(split((await run(kit, ['-C', root as string, 'check-ignore', '-z', '--stdin'], join0(paths))) ?? ''))
  }

  /** A file is new only if the source does not know it, however new it is here. */
  async function trackedBySource(paths: readonly string[]): Promise<Set<string>> {
    const tracked = new Set<string>()
    for (let at = 0; at < paths.length; at += batchSize) {
      const listing = ['-C', root as string, 'ls-files', '-z', '--cached', '--', ...paths.slice(at, at + batchSize)]
      for (const path of split((await run(kit, listing)) ?? '')) tracked.add(path)
    }
    return tracked
  }

  /** Repositories inside the repository are listed as directories; they keep their own history. */
  async function withoutLarge(paths: readonly string[]): Promise<string[]> {
    const files = paths.filter((path) => !path.endsWith('/'))
    const sizes = await Promise.all(files.map((path) => kit.size(join(root as string, path))))
    const large = files.filter((_path, index) => (sizes[index] ?? 0) > largestNewFile)
    const tracked = await trackedBySource(large)
    return files.filter((path) => !large.includes(path) || tracked.has(path))
  }

  /** Never through a link that leads out of the working tree. */
  async function removeInside(path: string): Promise<void> {
    const full = join(root as string, path)
    const parent = await kit.realpath(dirname(full))
    if (parent === root || parent.startsWith(`${root}${sep}`)) await kit.remove(full)
  }
}

const settings = [...harmlessGitSettings, 'core.autocrlf=false', 'gc.auto=0']

async function run(kit: SnapshotKit, args: readonly string[], input?: string): Promise<string | undefined> {
  const options = settings.flatMap((setting) => ['-c', setting])
  const env = { ...harmlessGitEnvironment, ...pathOutside(kit.env?.['PATH'], kit.cwd), GIT_LITERAL_PATHSPECS: '1' }
  const done = await kit.exec('git', [...options, ...args], {
    env,
    outputLimit: 64 * 1024 * 1024,
    ...(input === undefined ? {} : { input }),
  })
  return done && done.exit === 0 && !done.truncated ? done.stdout : undefined
}

async function need(output: Promise<string | undefined>, args: readonly string[]): Promise<string> {
  const text = await output
  if (text === undefined) throw new Error(`git ${args[0]} failed in the snapshot repository`)
  return text
}

const split = (list: string): string[] => list.split('\0').filter((path) => path !== '')
const join0 = (paths: readonly string[]): string => paths.map((path) => `${path}\0`).join('')
