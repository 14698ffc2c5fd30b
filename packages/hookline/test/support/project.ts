import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageFolders } from '../../../../scripts/setup.mjs'

/** The root of the repository: where the lock file is. */
export const projectRoot = rootAbove(import.meta.dirname)

/** The packages of this repository, by name, and the directory of each. */
export function ownPackages(): Record<string, string> {
  const found = [projectRoot, ...packageFolders().map((folder) => join(projectRoot, folder))]
  return Object.fromEntries(found.map((directory) => [nameIn(directory), directory]))
}

function nameIn(directory: string): string {
  return (JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { name: string }).name
}

function rootAbove(directory: string): string {
  return existsSync(join(directory, 'package-lock.json')) ? directory : rootAbove(dirname(directory))
}
