import { spawnSync } from 'node:child_process'
import { harmlessGit, listDrivers } from '../../shell/index.ts'
import { callerEnvironment } from '../surroundings.ts'

/** Whether something is not committed; undefined when git cannot say. The one question for which a program runs. */
export function hasChanges(directory: string): boolean | undefined {
  const git = (args: readonly string[], drivers?: string) =>
    spawnSync('git', args, {
      cwd: directory,
      env: harmlessGit(callerEnvironment(), directory, drivers),
      timeout: 3_000,
      maxBuffer: 64 * 1024,
      encoding: 'utf8',
    })
  const drivers = git(listDrivers)
  // Exit code 1: there are none.
  if (drivers.error || (drivers.status !== 0 && drivers.status !== 1)) return undefined
  const done = git(['status', '--porcelain', '--ignore-submodules=all'], drivers.stdout)
  if (done.error && (done.error as NodeJS.ErrnoException).code === 'ENOBUFS') return true
  return done.status === 0 ? done.stdout.trim() !== '' : undefined
}
