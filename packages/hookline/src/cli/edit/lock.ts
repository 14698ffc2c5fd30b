import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import { realPath, stateDirectory } from '../../platform/index.ts'

/** Two people, or two agents, who change a file at once both succeed. The lock lies outside the project. */
export const lockOf = (file: string): string =>
  join(stateDirectory(), `edit-${basename(file)}-${nameOf(realPath(file))}.lock`)

const nameOf = (path: string): string => createHash('sha256').update(path).digest('hex').slice(0, 16)
