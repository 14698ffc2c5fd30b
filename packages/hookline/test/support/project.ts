import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The root of the repository: where the lock file is. */
export const projectRoot = rootAbove(import.meta.dirname)

/** The packages of this repository, by name, and the directory of each. */
export function ownPackages(): Record<string, string> {
  const workspaces = join(projectRoot, 'packages')
  const directories = existsSync(workspaces) ? readdirSync(workspaces).map((name) => join(workspaces, name)) : []
  const found = [projectRoot, ...directories].filter((directory) => existsSync(join(directory, 'package.json')))
  return Object.fromEntries(found.map((directory) => [nameIn(directory), directory]))
}

function nameIn(directory: string): string {
  return (JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { name: string }).name
}

function rootAbove(directory: string): string {
  return existsSync(join(directory, 'package-lock.json')) ? directory : rootAbove(dirname(directory))
}
