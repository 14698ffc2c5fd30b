import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Builtin, BuiltinExample, BuiltinKit, Opinion, World } from '../../src/core/index.ts'
import { createBuiltinExecutor } from '../../src/executors/builtin.ts'
import { makeCall } from './call.ts'
import { remove } from './scratch.ts'

export interface RealWorld {
  cwd: string
  home: string
  dataDir: string
  kit: Partial<BuiltinKit>
  write(files: Readonly<Record<string, string>>): void
  git(...args: string[]): string
  remove(): void
}

/** Makes the world of an example real, in an empty directory. */
export function makeWorld(world: World = {}): RealWorld {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hookline-world-')))
  const [cwd, home, dataDir] = [join(root, 'work'), join(root, 'home'), join(root, 'data')]
  for (const directory of [cwd, home]) mkdirSync(directory)
  const write = (files: Readonly<Record<string, string>> = {}, base = cwd) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(base, path)), { recursive: true })
      writeFileSync(join(base, path), text)
    }
  }
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd, encoding: 'utf8' })
  write(world.files)
  write(world.homeFiles, home)
  if (world.commits) git('init', '-q', '-b', 'main')
  for (const message of world.commits ?? []) {
    git('add', '-A')
    git('commit', '-q', '--allow-empty', '-m', message)
  }
  write(world.edits)
  const kit: Partial<BuiltinKit> = {
    home,
    ...(world.now === undefined ? {} : { now: () => new Date(world.now as string) }),
    ...(world.machine
      ? { machine: { hostname: 'host', platform: 'linux', architecture: 'x64', ...world.machine } }
      : {}),
    ...(world.env ? { env: { ...(process.env as Record<string, string>), ...world.env } } : {}),
  }
  return { cwd, home, dataDir, kit, write, git, remove: () => remove(root) }
}

/** Puts the world's directories for `{cwd}` and `{home}`. */
export function placed<T>(value: T, world: RealWorld): T {
  if (typeof value === 'string') return value.replaceAll('{cwd}', world.cwd).replaceAll('{home}', world.home) as T
  if (Array.isArray(value)) return value.map((item) => placed(item, world)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [placed(key, world), placed(item, world)])) as T
}

/** The builtin's opinion in the example, through its executor. */
export async function play(builtin: Builtin, example: BuiltinExample, world: RealWorld): Promise<Opinion | undefined> {
  const builtins = { [builtin.name]: builtin }
  const executor = createBuiltinExecutor({ builtins, dataDir: world.dataDir, kit: world.kit })
  const spec = { name: builtin.name, ...(example.args === undefined ? {} : { args: placed(example.args, world) }) }
  const ask = async (event: BuiltinExample['event'], payload: Record<string, unknown>) => {
    const full = placed({ session_id: 's1', cwd: world.cwd, ...payload }, world)
    const reply = await executor.run(
      spec,
      makeCall({ type: 'builtin', ...spec }, { event, payload: full, timeoutMs: 20_000 }),
    )
    return reply.kind === 'opinion' ? reply.opinion : undefined
  }
  try {
    for (const earlier of example.before ?? []) {
      world.write(earlier.files ?? {})
      await ask(earlier.event, earlier.payload)
    }
    return await ask(example.event, example.payload)
  } finally {
    await executor.close?.()
  }
}
