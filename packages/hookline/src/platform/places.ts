import { readFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { contentAt } from './looks.ts'
import { packageFile } from './packages.ts'
import { callerEnvironment, type Variables } from './surroundings.ts'

/** The home directory. `HOME=` or a relative one would make one of whatever directory is at hand, so they count as none. */
export function homeDirectory(): string {
  try {
    const env = callerEnvironment()
    const home = env === process.env ? homedir() : (env['HOME'] ?? '')
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
export function userDirectory(home = homeDirectory(), env: Variables = callerEnvironment()): string {
  return place(env['XDG_CONFIG_HOME'], join(home, '.config'))
}

/**
 * Where approvals and the journal are kept: outside every workspace. A relative path would be inside the one at hand, so
 * it counts as none.
 */
export function stateDirectory(home = homeDirectory(), env: Variables = callerEnvironment()): string {
  return place(env['XDG_STATE_HOME'], join(home, '.local', 'state'))
}

/** Where the engine, snapshots, large results and sessions of the agent are kept. */
export function dataDirectory(env: Variables = callerEnvironment()): string {
  const own = env['HOOKLINE_DATA_DIR']
  return own && isAbsolute(own) ? own : place(env['XDG_DATA_HOME'], join(homeDirectory(), '.local', 'share'))
}

const place = (given: string | undefined, usual: string): string =>
  join(given && isAbsolute(given) ? given : usual, 'hookline')

/** Where the administrator keeps hooks that hold for everybody on the machine. */
export function managedDirectory(platform: NodeJS.Platform = process.platform): string {
  return managedDirectories[platform] ?? '/etc/hookline'
}

const managedDirectories: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '/Library/Application Support/Hookline',
  win32: 'C:\\Program Files\\Hookline',
}

/** Beside the engines that agents run: where the hooks of their user were when the last one was installed. */
export const userDirectoryFile = (data = dataDirectory()): string => join(data, 'user-directory')

/** What stands there, for an engine that was installed for a user: an agent may be started with other variables than the user has. */
export function installedUserDirectory(): string | undefined {
  const data = installedDataDirectory()
  if (data === undefined) return undefined
  try {
    const file = userDirectoryFile(data)
    contentAt(file)
    const directory = readFileSync(file, 'utf8').trim()
    return isAbsolute(directory) ? directory : undefined
  } catch {
    return undefined
  }
}

/** The data directory in which this engine was installed; undefined where it runs from elsewhere. */
export function installedDataDirectory(): string | undefined {
  const engines = dirname(packageFile())
  return basename(engines) === 'engine' ? dirname(engines) : undefined
}

/** The variables that move any of these, and so decide which hooks there are. */
export const placeVariables = [
  'HOME',
  'XDG_CONFIG_HOME',
  'XDG_STATE_HOME',
  'XDG_DATA_HOME',
  'HOOKLINE_DATA_DIR',
] as const

/**
 * Threads and helper processes run a file of their own, which the build puts beside ours. When we run from source,
 * the built file is used.
 */
export function builtEntry(name: string): URL {
  const here = import.meta.url
  return here.endsWith('.ts') ? new URL(`../../dist/${name}.js`, here) : new URL(`./${name}.js`, here)
}
