import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type ConfigFile, discover, projectDirectories, shortened } from '../../config/index.ts'
import { isAdministrators, type Layer } from '../../core/index.ts'
import { homeDirectory, userDirectory } from '../../platform/index.ts'
import { isInside, untrustedWriter } from '../../trust/index.ts'
import { type Invocation, type Option, texts, UsageError } from '../command.ts'
import { workingDirectory } from '../configured.ts'

/** Which file a command changes. */
export const targetOptions = {
  user: { doc: 'Your own config, for everything you do, instead of the project’s.' },
  local: { doc: 'The config of this copy of the project, `.hookline/hooks.local.yaml`.' },
  config: { value: 'file', doc: 'This file.' },
  cwd: { value: 'directory', doc: 'Where the project is. Default: here.' },
} as const satisfies Record<string, Option>

export interface Target extends ConfigFile {
  exists: boolean
}

/** Every file that a person may change here; those of the administrator are not among them. */
export function editable(values: Invocation['values']): ConfigFile[] {
  const cwd = workingDirectory(values)
  const found = discover({ cwd, home: homeDirectory(), untrustedWriter }).filter(
    ({ layer }) => !isAdministrators(layer),
  )
  const named = texts(values['config'])
  if (named.length === 0) return found.filter(({ layer }) => !values['user'] || layer === 'user')
  return named.map((file) => found.find((each) => resolve(each.file) === resolve(file)) ?? { file, layer: 'session' })
}

/** The file to add to: the one that is there, or where it would be. */
export function targetOf(values: Invocation['values']): Target {
  if (values['user'] && values['local']) throw new UsageError('One of `--user` and `--local`, not both.')
  const layer: Layer = values['user'] ? 'user' : values['local'] ? 'local' : 'project'
  const [named] = texts(values['config'])
  // Of a repository inside another, its own: the outer one's rules hold here, and are changed there.
  const [root = '.'] = projectDirectories(workingDirectory(values), homeDirectory())
  const isOwn = ({ file, layer }: ConfigFile) => layer === 'user' || isInside(resolve(file), root)
  const found = editable(values).findLast((each) => named !== undefined || (each.layer === layer && isOwn(each)))
  if (found) return { ...found, file: shortened(found.file, process.cwd()), exists: existsSync(found.file) }
  const file = shortened(usual(layer, workingDirectory(values)), process.cwd())
  return { file, layer, dialect: 'native', exists: false }
}

function usual(layer: Layer, cwd: string): string {
  const root = projectDirectories(cwd, homeDirectory())[0] ?? cwd
  if (layer === 'user') return join(userDirectory(homeDirectory()), 'hooks.yaml')
  return layer === 'local' ? join(root, '.hookline', 'hooks.local.yaml') : join(root, 'hookline.yaml')
}
