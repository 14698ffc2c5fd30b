import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { HooklineError, harmlessGit, listDrivers, makeDirectory, note, realPath } from 'hookline/internal'
import type { Raise } from '../loop/index.ts'

export interface Worktree {
  path: string
  branch: string
  /** The root of the repository it was branched from. */
  source: string
  /** Where to work in it: the same place as in the repository. */
  cwd: string
}

/** A fresh checkout of the repository, on a branch of its own, outside of it. No hook and no filter of the repository runs for it. */
export async function createWorktree(cwd: string, name: string, dataDir: string): Promise<Worktree> {
  const source = await git(cwd, ['rev-parse', '--show-toplevel']).catch((error: Error) => {
    const { message } = error
    if (!message.includes('not a git repository')) throw new HooklineError(note('worktree-failed', { detail: message }))
    throw new HooklineError(note('worktree-no-repository', { directory: cwd }))
  })
  const chosen = name === '' ? randomBytes(4).toString('hex') : name
  const path = join(dataDir, 'worktrees', basename(source), chosen)
  const branch = `worktree-${chosen}`
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(chosen) || existsSync(path))
    throw new HooklineError(
      note('worktree-name', {
        name: chosen,
        detail: existsSync(path)
          ? `is there already: ${path}`
          : 'has more than letters, digits, dots, dashes and underscores',
      }),
    )
  makeDirectory(dirname(path))
  await git(source, ['worktree', 'add', '--quiet', '-b', branch, path]).catch((error: Error) => {
    throw new HooklineError(note('worktree-failed', { detail: error.message }))
  })
  const inside = join(path, relative(realPath(source), realPath(cwd)))
  return { path, branch, source, cwd: existsSync(inside) ? inside : path }
}

/**
 * Runs the hooks that prepare it, before there is a session. Returns their context, and the reason if one refuses it.
 */
export async function prepareWorktree(
  { path, branch, source, cwd }: Worktree,
  raise: Raise,
  agent: string,
  signal: AbortSignal,
): Promise<{ context: readonly string[]; refused?: string }> {
  const {
    decision,
    halt,
    context = [],
  } = await raise(
    'worktree_create',
    {
      cwd,
      agent_name: agent,
      worktree_path: path,
      worktree_branch: branch,
      worktree_source_dir: source,
    },
    { signal },
  )
  if (halt) return { context, refused: halt.reason }
  if (decision?.ruling === 'deny') return { context, refused: decision.reason ?? '' }
  return { context }
}

/** Removes an unused worktree; keeps one that hooks have written to, and returns false. */
export async function removeWorktree({ path, branch, source }: Worktree): Promise<boolean> {
  try {
    await git(source, ['worktree', 'remove', path])
    await git(source, ['branch', '--quiet', '-D', branch])
    return true
  } catch {
    return false
  }
}

async function git(cwd: string, args: readonly string[]): Promise<string> {
  const run = (words: readonly string[], drivers: string) =>
    promisify(execFile)('git', ['-C', cwd, ...words], { env: harmlessGit(process.env, cwd, drivers), maxBuffer })
  // It fails where no config names a driver.
  const drivers = await run(listDrivers, '').catch(() => ({ stdout: '' }))
  try {
    return (await run(args, drivers.stdout)).stdout.trim()
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string }
    throw new Error(stderr.trim() || message)
  }
}

const maxBuffer = 1024 * 1024
