import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** Where a person keeps their own hooks. A relative path would lie in the workspace at hand, so it counts as none. */
export function userDirectory(
  home = homedir(),
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  return place(env['XDG_CONFIG_HOME'], join(home, '.config'))
}

/**
 * Where approvals and the journal are kept: outside every workspace. A relative path would be inside the one at hand, so
 * it counts as none.
 */
export function stateDirectory(
  home = homedir(),
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  return place(env['XDG_STATE_HOME'], join(home, '.local', 'state'))
}

const place = (given: string | undefined, usual: string): string =>
  join(given && isAbsolute(given) ? given : usual, 'hookline')
