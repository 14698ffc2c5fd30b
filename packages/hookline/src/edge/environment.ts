import type { Call } from '../core/index.ts'
import { isAbsolute } from './path.ts'

export const hostDirectory = (): string => '/'

/** As the payload says: the agent may work on a machine, and only its hooks run here. */
export function workingDirectory({ event, hook }: Call): string | undefined {
  const own = hook.workingDir ?? event.payload['cwd']
  return typeof own === 'string' && isAbsolute(own) ? own : undefined
}
