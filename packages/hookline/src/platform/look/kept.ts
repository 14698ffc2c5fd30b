/** Which files git could bring back: asked of git itself, with everything that a repository can make it run switched off. */
import { execFile } from 'node:child_process'
import { lstatSync, opendirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { harmlessGit, listDrivers } from '../../shell/index.ts'
import type { Kept, LookAtFiles } from '../../stakes/index.ts'
import { callerEnvironment } from '../surroundings.ts'
import { findGitDirectory } from './repository.ts'

export interface KeptOptions {
  /** The root of the working tree that the call works in: looked at from inside, and not as a directory of another. */
  workspace: string
  signal?: AbortSignal
}

/** More than this is not listed: a person reads a few names, and a number. */
const mostBytes = 512 * 1024
const mostFiles = 500
const patienceMs = 3_000

export function keptFiles({ workspace, signal }: KeptOptions): LookAtFiles {
  return async (paths) => {
    const found = new Map<string, Kept | undefined>()
    const byRoot = new Map<string, string[]>()
    for (const path of paths) {
      const root = rootOf(path, workspace)
      if (!exists(path)) found.set(path, { ...empty, repository: root !== undefined })
      else if (root === undefined) found.set(path, listed(path))
      else byRoot.set(root, [...(byRoot.get(root) ?? []), path])
    }
    for (const [root, inside] of byRoot) {
      const states = await statesIn(root, inside, signal)
      for (const path of inside) found.set(path, states && keptBelow(path, root, states))
    }
    return found
  }
}

const empty: Kept = { repository: false, exists: false, changed: [], untracked: [], ignored: [], more: false }

/** A repository inside a repository goes with its own history: who deletes it is judged by the one around it. */
function rootOf(path: string, workspace: string): string | undefined {
  return findGitDirectory(path === workspace ? path : dirname(path), readText)?.root
}

interface States {
  entries: readonly { state: string; path: string }[]
  more: boolean
}

async function statesIn(
  root: string,
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<States | undefined> {
  const drivers = await git(root, listDrivers, '', signal)
  // Exit code 1: there are none.
  if (!drivers || (drivers.exit !== 0 && drivers.exit !== 1) || drivers.cut) return undefined
  const status = [
    ...['status', '--porcelain=v1', '-z', '--untracked-files=all', '--ignored=matching', '--no-renames'],
    ...['--ignore-submodules=all', '--', ...paths.map((path) => relative(root, path) || '.')],
  ]
  const answer = await git(root, status, drivers.stdout, signal)
  if (!answer || (answer.exit !== 0 && !answer.cut)) return undefined
  const lines = answer.stdout.split('\0')
  // The last one of an answer that was cut may be half a name.
  if (answer.cut) lines.pop()
  const entries = lines.filter(Boolean).map((line) => ({ state: line.slice(0, 2), path: join(root, line.slice(3)) }))
  return { entries, more: answer.cut }
}

/** Nothing is lost with a file that is gone already. */
const gone = new Set([' D', 'D '])

function keptBelow(path: string, root: string, { entries, more }: States): Kept {
  const kept = { changed: [] as string[], untracked: [] as string[], ignored: [] as string[] }
  for (const { state, path: entry } of entries) {
    if (gone.has(state)) continue
    const list = state === '??' ? kept.untracked : state === '!!' ? kept.ignored : kept.changed
    if (path === root || entry.replace(/\/$/, '') === path || entry.startsWith(`${path}/`)) list.push(entry)
    // All of an ignored directory is one entry: what lies in it goes by its own name.
    else if (entry.endsWith('/') && path.startsWith(entry)) list.push(path)
  }
  return { repository: true, exists: true, ...kept, more }
}

/** Without git, every file is one that nothing brings back. */
function listed(path: string): Kept {
  const files: string[] = []
  const more = !collect(path, files)
  return { ...empty, exists: true, untracked: files, more }
}

/** False when there are too many. */
function collect(path: string, files: string[]): boolean {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return files.push(path) <= mostFiles
  try {
    const directory = opendirSync(path)
    try {
      for (let entry = directory.readSync(); entry; entry = directory.readSync())
        if (!collect(join(path, entry.name), files)) return false
      return true
    } finally {
      directory.closeSync()
    }
  } catch {
    return false
  }
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

function readText(path: string): string | undefined {
  try {
    const stats = lstatSync(path)
    return stats.isFile() && stats.size < 4_096 ? readFileSync(path, 'utf8') : undefined
  } catch {
    return undefined
  }
}

function git(
  root: string,
  args: readonly string[],
  drivers: string,
  signal: AbortSignal | undefined,
): Promise<{ exit: number; stdout: string; cut: boolean } | undefined> {
  return new Promise((resolve) => {
    execFile(
      'git',
      [...args],
      {
        cwd: root,
        env: { ...harmlessGit(callerEnvironment(), root, drivers), GIT_LITERAL_PATHSPECS: '1' },
        encoding: 'utf8',
        maxBuffer: mostBytes,
        timeout: patienceMs,
        killSignal: 'SIGKILL',
        ...(signal && { signal }),
      },
      (error, stdout) => {
        const cut = error?.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER'
        const exit = !error ? 0 : typeof error.code === 'number' ? error.code : -1
        resolve(exit === -1 && !cut ? undefined : { exit, stdout, cut })
      },
    ).stdin?.end()
  })
}
