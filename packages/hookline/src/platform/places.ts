import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** The home directory. `HOME=` or a relative one would make one of whatever directory is at hand, so they count as none. */
export function homeDirectory(): string {
  try {
    const home = homedir()
    return isAbsolute(home) ? home : ownHome()
  } catch {
    return ownHome()
  }
}

/** What the system says, whatever HOME says; the root where it knows nobody of this id. */
export function ownHome(): string {
  try {
    return userInfo().homedir
  } catch {
    return '/'
  }
}

/** Where a person keeps their own hooks. A relative path would lie in the workspace at hand, so it counts as none. */
export function userDirectory(
  home = homeDirectory(),
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  return place(env['XDG_CONFIG_HOME'], join(home, '.config'))
}

/**
 * Where approvals and the journal are kept: outside every workspace. A relative path would be inside the one at hand, so
 * it counts as none.
 */
export function stateDirectory(
  home = homeDirectory(),
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  return place(env['XDG_STATE_HOME'], join(home, '.local', 'state'))
}

/** Where snapshots, large results and sessions of the agent are kept. */
export function dataDirectory(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return env['HOOKLINE_DATA_DIR'] || join(env['XDG_DATA_HOME'] || join(homeDirectory(), '.local', 'share'), 'hookline')
}

const place = (given: string | undefined, usual: string): string =>
  join(given && isAbsolute(given) ? given : usual, 'hookline')

/**
 * Threads and helper processes run a file of their own, which the build puts beside ours. When we run from source,
 * the built file is used.
 */
export function builtEntry(name: string): URL {
  const here = import.meta.url
  return here.endsWith('.ts') ? new URL(`../../dist/${name}.js`, here) : new URL(`./${name}.js`, here)
}
