import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * Where approvals and the journal are kept: outside every workspace. A relative path would be inside the one at hand, so
 * it counts as none.
 */
export function stateDirectory(
  home = homedir(),
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const given = env['XDG_STATE_HOME']
  return join(given && isAbsolute(given) ? given : join(home, '.local', 'state'), 'hookline')
}
