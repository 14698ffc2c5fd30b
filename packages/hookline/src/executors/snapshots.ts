import { openSnapshots, type Snapshots } from '../builtins/index.ts'
import type { ExecOptions } from '../core/index.ts'
import { callerEnvironment, dataDirectory } from '../platform/index.ts'
import { files } from './kit/files.ts'
import { exclusive } from './kit/lock.ts'
import { exec } from './kit/outside.ts'

export interface SnapshotOptions {
  cwd: string
  session: string
  dataDir?: string
  signal?: AbortSignal
}

/** The snapshots that the builtin took in a session: to list them, undo the latest, or go back. Undefined outside a git repository. */
export function openSessionSnapshots(options: SnapshotOptions): Promise<Snapshots | undefined> {
  const { cwd, session, dataDir = dataDirectory(), signal = new AbortController().signal } = options
  const kit = {
    ...files,
    exclusive,
    cwd,
    dataDir,
    now: () => new Date(),
    exec: (program: string, args: readonly string[], more: ExecOptions = {}) =>
      exec(program, args, { cwd, ...more, env: { ...withoutGit(), ...more.env } }, signal),
  }
  return openSnapshots(kit, session)
}

/** Variables of a git that called us would make ours work on another repository. */
function withoutGit(): Record<string, string> {
  const kept = Object.entries(callerEnvironment()).filter(
    ([name, value]) => value !== undefined && !name.startsWith('GIT_'),
  )
  return Object.fromEntries(kept) as Record<string, string>
}
