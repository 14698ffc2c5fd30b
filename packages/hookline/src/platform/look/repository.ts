/** What git's own files say about a repository. Only whether something is not committed takes a process, and only when asked. */
import { statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { Look } from '../../rules/index.ts'
import { hasChanges } from './changes.ts'
import { readSettings, type Setting } from './settings.ts'

type Repository = NonNullable<ReturnType<NonNullable<Look['git']>>>
type Read = (path: string) => string | undefined

export function readRepository(directory: string, home: string, read: Read): Repository | undefined {
  const own = findGitDirectory(directory, read)?.own
  if (own === undefined) return undefined
  const shared = read(join(own, 'commondir'))?.trim()
  const common = shared === undefined ? own : resolve(own, shared)
  const settings = [...userFiles(home), join(common, 'config'), join(own, 'config.worktree')].flatMap((file) =>
    readSettings(file, home, read),
  )
  const branch = branchOf(read(join(own, 'HEAD')))
  const last = lastOf(settings)
  const remote = branch ? last('branch', branch, 'remote') : undefined
  const merged = branch ? last('branch', branch, 'merge')?.replace(/^refs\/heads\//, '') : undefined
  const pushRemote =
    (branch ? last('branch', branch, 'pushremote') : undefined) ?? last('remote', undefined, 'pushdefault')
  let dirty: boolean | undefined | null = null
  return {
    branch,
    upstream:
      remote === undefined || merged === undefined ? undefined : remote === '.' ? merged : `${remote}/${merged}`,
    get dirty() {
      if (dirty === null) dirty = hasChanges(directory)
      return dirty
    },
    remotes: remotesOf(settings, 'url'),
    pushes: remotesOf(settings, 'pushurl'),
    ...(pushRemote === undefined ? {} : { pushRemote }),
    aliases: Object.fromEntries(
      settings
        .filter(({ section, name }) => section === 'alias' && name === undefined)
        .map(({ key, value }) => [key, value]),
    ),
  }
}

const userFiles = (home: string): string[] => [
  '/etc/gitconfig',
  join(home, '.config/git/config'),
  join(home, '.gitconfig'),
]

/** `.git` here or above: a directory, or in a worktree and a submodule a file that names it. */
export function findGitDirectory(start: string, read: Read): { root: string; own: string } | undefined {
  if (!isAbsolute(start)) return undefined
  for (let at = resolve(start); ; at = dirname(at)) {
    const candidate = join(at, '.git')
    const kind = kindOf(candidate)
    if (kind === 'directory') return { root: at, own: candidate }
    const named = kind && /^gitdir:\s*(.+)/.exec(read(candidate) ?? '')?.[1]?.trim()
    if (named) return { root: at, own: resolve(at, named) }
    if (at === dirname(at)) return undefined
  }
}

function kindOf(path: string): 'directory' | 'other' | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found && (found.isDirectory() ? 'directory' : 'other')
  } catch {
    return undefined
  }
}

/** Empty on no branch; undefined when the file does not say. */
function branchOf(head: string | undefined): string | undefined {
  const [, branch] = /^ref:\s*refs\/heads\/(\S+)/.exec(head ?? '') ?? []
  if (branch !== undefined) return branch === '.invalid' ? undefined : branch
  return /^[0-9a-f]{40,64}\s*$/.test(head ?? '') ? '' : undefined
}

const lastOf =
  (settings: readonly Setting[]) =>
  (section: string, name: string | undefined, key: string): string | undefined =>
    settings.findLast((each) => each.section === section && each.name === name && each.key === key)?.value

/** Addresses by the name of the remote, rewritten as `url.….insteadOf` says. */
function remotesOf(settings: readonly Setting[], key: 'url' | 'pushurl'): Record<string, string> {
  const remotes: Record<string, string> = {}
  for (const { section, name, key: own, value } of settings)
    if (section === 'remote' && name !== undefined && own === key) remotes[name] = rewritten(value, settings)
  return remotes
}

function rewritten(url: string, settings: readonly Setting[]): string {
  const [best] = settings
    .filter(({ section, key, value }) => section === 'url' && key === 'insteadof' && url.startsWith(value))
    .sort((one, other) => other.value.length - one.value.length)
  return best?.name === undefined ? url : best.name + url.slice(best.value.length)
}
