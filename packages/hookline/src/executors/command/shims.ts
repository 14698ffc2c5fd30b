import { delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from '../environment.ts'

/** Programs for hooks that expect them: in the package, beside the built files. */
const directory = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../shims' : '../shims', import.meta.url),
)

/** Last on PATH, so that whatever is installed comes first. */
export function lendPrograms(env: Environment): void {
  env['PATH'] = `${env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'}${delimiter}${directory}`
  env['HOOKLINE_NODE'] = process.execPath
}
