import { diskFiles } from '../files/disk.ts'
import type { World } from '../toolset.ts'
import { commandEnvironment } from './environment.ts'
import type { Machine } from './on.ts'

const defaultTimeoutMs = 120_000

export function machineIn(world: World, env: Readonly<Record<string, unknown>> = {}): Machine {
  const { cwd, home } = world
  const files = diskFiles({ cwd, home, roots: [cwd], denied: [], readable: [] })
  return { cwd, home, files, env: commandEnvironment(world, env), timeoutMs: defaultTimeoutMs }
}
