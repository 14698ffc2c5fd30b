import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ownPackages, projectRoot } from './project.ts'

/** Lets programs in this directory import these packages: our own from this repository, others from what is installed. */
export function linkPackages(directory: string, names: Iterable<string>): void {
  const own = ownPackages()
  for (const name of new Set(names)) {
    const target = own[name] ?? join(projectRoot, 'node_modules', name)
    const link = join(directory, 'node_modules', name)
    if (!existsSync(target) || existsSync(link)) continue
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(target, link, 'dir')
  }
}

/** What the compiler says of the TypeScript in this directory; nothing when all is well. */
export function typeErrors(directory: string, options: object = {}, include: readonly string[] = ['**/*.ts']): string {
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2023'],
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
    ...options,
  }
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }))
  const compiler = join(projectRoot, 'node_modules/typescript-7/bin/tsc')
  const { stdout, stderr, status } = spawnSync(process.execPath, [compiler, '-p', '.', '--pretty', 'false'], {
    cwd: directory,
    encoding: 'utf8',
  })
  return status === 0 ? '' : `${stdout}${stderr}`
}
