import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { projectDirectories, shortened } from '../../config/index.ts'
import { homeDirectory } from '../../platform/state.ts'

const endings = ['.yaml', '.yml', '.json']

/** Where a project keeps its cases: `hookline.test.yaml`, and every file in `.hookline/tests/`. */
export function findCaseFiles(cwd: string): string[] {
  return projectDirectories(resolve(cwd), homeDirectory())
    .flatMap((directory) => [
      ...endings.map((ending) => join(directory, `hookline.test${ending}`)).filter((file) => existsSync(file)),
      ...filesIn(join(directory, '.hookline', 'tests')),
    ])
    .map((file) => shortened(file, process.cwd()))
}

/** Where the hooks of these cases run: the project that the file belongs to. */
export function projectOf(file: string): string {
  const directory = dirname(resolve(file))
  const isOurs = basename(directory) === 'tests' && basename(dirname(directory)) === '.hookline'
  return isOurs ? dirname(dirname(directory)) : directory
}

function filesIn(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .filter((name) => !name.startsWith('.') && endings.some((ending) => name.endsWith(ending)))
    .sort()
    .map((name) => join(directory, name))
}
