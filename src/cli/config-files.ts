import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { type Invocation, text, texts, UsageError } from './command.ts'

/** Where a project keeps its hooks, when nobody names a file. */
const usual = ['hookline.yaml', 'hookline.yml', 'hookline.json', 'hookline.jsonc', '.hookline/hooks.yaml']

/** The config files that were named, as options or as plain words; else those of the project. */
export function configFiles({ values }: Pick<Invocation, 'values'>, words: readonly string[] = []): string[] {
  const named = [...texts(values['config']), ...words]
  if (named.length > 0) return named
  const here = workingDirectory(values)
  const found = usual.map((name) => relative(process.cwd(), join(here, name))).filter((file) => existsSync(file))
  if (found.length > 0) return found
  throw new UsageError(`There is no ${usual[0]} in ${here}. Name a config file: \`--config <file>\`.`)
}

export function workingDirectory(values: Invocation['values']): string {
  const directory = resolve(text(values['cwd']) ?? process.cwd())
  if (!existsSync(directory)) throw new UsageError(`There is no directory ${directory}.`)
  return directory
}
