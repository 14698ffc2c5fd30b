import { spawnSync } from 'node:child_process'
import { callerEnvironment } from '../surroundings.ts'

/** What a repository's own config may name and git would run is switched off: a repository is not the user. */
const harmless = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.pager=cat'].flatMap((each) => ['-c', each])

/** Whether something is not committed; undefined when git cannot say. The one question for which a program runs. */
export function hasChanges(directory: string): boolean | undefined {
  const env = { ...callerEnvironment(), GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }
  const args = [...harmless, 'status', '--porcelain', '--ignore-submodules']
  const done = spawnSync('git', args, { cwd: directory, env, timeout: 3_000, maxBuffer: 64 * 1024, encoding: 'utf8' })
  if (done.error && (done.error as NodeJS.ErrnoException).code === 'ENOBUFS') return true
  return done.status === 0 ? done.stdout.trim() !== '' : undefined
}
