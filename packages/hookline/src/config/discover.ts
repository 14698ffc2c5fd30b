import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { type Layer, type Note, note } from '../core/index.ts'
import { dialectOfFile } from '../dialects/index.ts'
import { fleetPolicy } from '../fleet/current.ts'
import {
  entryAt,
  isRootsAlone,
  listAt,
  managedDirectory,
  realPath,
  targetAt,
  userDirectory,
} from '../platform/index.ts'

/** A config file and its rank. */
export interface ConfigFile {
  file: string
  layer: Layer
  /** The system it was written for; absent: found by name and shape. */
  dialect?: string
  /** The system it was probably written for, where neither its name nor its shape says so. */
  likely?: string
  /** The content, where it stands in no file: `file` is then only what to call it. */
  text?: string
  /** A policy of a fleet that nobody has signed yet: to see what it would do, and never in force. */
  candidate?: true
  /** The root of the repository that it was found in, of several that lie in each other. */
  repository?: string
  /** Why it is not read. */
  refused?: Note
  /** What to know about where it was found. */
  remark?: Note
}

/** What decides where config files are looked for. */
export interface Surroundings {
  /** Where the agent works. */
  cwd: string
  home: string
  env?: Readonly<Record<string, string | undefined>>
  /** The administrator's directory. No variable names it: whoever could set one could take its hooks away. */
  managed?: string
  /** Where a person has approved hooks of their own before: they count there whatever a variable says now. */
  userDirectories?: readonly string[]
  /** Files of which a person has approved hooks of their own. */
  userFiles?: readonly string[]
  /** Who else than its owner and root could change a file, in words. */
  untrustedWriter(file: string): string | undefined
}

/** Every config file that counts here, strongest layer first. A file that is not there is no file. */
export function discover({
  cwd,
  home,
  env,
  managed = managedDirectory(),
  userDirectories = [],
  userFiles = [],
  untrustedWriter,
}: Surroundings): ConfigFile[] {
  const projects = guardedDirectories(resolve(cwd), home, untrustedWriter)
  const own = [
    ...inLayer('user', hooksIn(userDirectory(home, env))),
    ...leftBehind(home, env, userDirectories, projects),
  ]
  const found = [
    ...inLayer('managed', hooksIn(managed)),
    ...ofFleet(managed),
    ...own,
    ...takenAway(own, userFiles),
    ...inRepositories('project', projects, (directory) => [
      ...named(directory, 'hookline'),
      ...hooksIn(join(directory, '.hookline')),
      // Where Starchild has them.
      ...named(join(directory, 'config'), 'shell_hooks'),
    ]),
    ...inRepositories('local', projects, (directory) => named(join(directory, '.hookline'), 'hooks.local')),
  ]
  return found.map(({ repository, ...each }) => ({
    ...resolved(each, untrustedWriter),
    ...(repository !== undefined && { repository }),
  }))
}

/** From the outermost directory down, each with the repository around it. */
function inRepositories(
  layer: Layer,
  directories: readonly string[],
  look: (directory: string) => string[],
): ConfigFile[] {
  let repository: string | undefined
  return directories.flatMap((directory) => {
    const files = look(directory)
    if (isReachable(join(directory, '.git'))) repository = directory
    return inLayer(layer, files).map((each) => ({ ...each, ...(repository !== undefined && { repository }) }))
  })
}

/** What the fleet that this machine is enrolled in has published for it. */
function ofFleet(managed: string): ConfigFile[] {
  const found = fleetPolicy(managed)
  return found ? [{ ...found, layer: 'fleet' }] : []
}

/**
 * Hooks of a person's own that a variable leads away from (XDG_CONFIG_HOME): whoever can set one for a host could be rid
 * of them all. They count where they are, and that is said. Not what lies in the project: that is the project's.
 */
function leftBehind(
  home: string,
  env: Surroundings['env'],
  known: readonly string[],
  projects: readonly string[],
): ConfigFile[] {
  const now = realPath(userDirectory(home, env))
  const others = new Set([userDirectory(home, {}), ...known].map((directory) => realPath(directory)))
  others.delete(now)
  const isOfProject = (directory: string) => projects.some((each) => directory.startsWith(`${realPath(each)}${sep}`))
  return [...others]
    .filter((directory) => !isOfProject(directory))
    .flatMap((directory) =>
      hooksIn(directory).map(
        (file): ConfigFile => ({
          file,
          layer: 'user',
          remark: note('user-layer-elsewhere', { directory, now }, { where: { file } }),
        }),
      ),
    )
}

/**
 * The file of a person's own hooks that is gone, and none has come in its place. Were that nothing, moving a directory away
 * would be enough to be rid of them all.
 */
function takenAway(own: readonly ConfigFile[], known: readonly string[]): ConfigFile[] {
  const gone = known.find((file) => isMain(file) && presence(file) === 'absent')
  if (gone === undefined || own.some(({ file }) => isMain(file))) return []
  return [{ file: gone, layer: 'user', refused: note('user-layer-gone', { file: gone }, { where: { file: gone } }) }]
}

const isMain = (file: string): boolean => endings.some((ending) => basename(file) === `hooks${ending}`)

/** The layer of a file that is named and not found: one in the directory of the administrator, or in your own, is theirs, or yours. */
export function layerAt(
  file: string,
  { home, env, managed = managedDirectory() }: Pick<Surroundings, 'home' | 'env' | 'managed'>,
): 'managed' | 'user' | undefined {
  const path = realPath(file)
  const isIn = (directory: string) => path.startsWith(`${realPath(directory)}${sep}`)
  return isIn(managed) ? 'managed' : isIn(userDirectory(home, env)) ? 'user' : undefined
}

/** Every directory in which such a file is, or could come to be. */
export function placesOf({
  cwd,
  home,
  env,
  managed = managedDirectory(),
  userDirectories = [],
  untrustedWriter,
}: Surroundings): string[] {
  const projects = guardedDirectories(resolve(cwd), home, untrustedWriter)
  const own = new Set([userDirectory(home, env), userDirectory(home, {}), ...userDirectories])
  const ours = [managed, ...own, ...projects.map((directory) => join(directory, '.hookline'))]
  return [
    ...projects,
    ...projects.map((directory) => join(directory, 'config')),
    ...ours.flatMap((directory) => [directory, join(directory, 'hooks.d')]),
  ]
}

/**
 * A link is followed, and shown as where it leads; not to a file that somebody else could change. Nothing of the
 * administrator's counts unless it is root's alone, nor of the user's, which has a say in trust and mutes others, unless it
 * is the user's alone. All other files are looked at when their hooks are approved.
 */
function resolved(
  { file: link, layer, remark, refused }: ConfigFile,
  untrustedWriter: Surroundings['untrustedWriter'],
): ConfigFile {
  // Neither its place nor its owner makes it trusted, but its signatures: see layers.ts.
  if (layer === 'fleet') return { file: link, layer, dialect: 'native', ...(refused && { refused }) }
  const file = realPath(link)
  const crowded = link.endsWith(`${sep}hooks.d`) ? crowdedNote(link) : undefined
  if (crowded) return { file: link, layer, dialect: 'native', refused: crowded }
  const dialect = dialectOfFile(basename(link)) ?? 'native'
  if (!isReachable(file)) return { file: link, layer, dialect, ...(refused && { refused }) }
  if (layer === 'managed') {
    const detail = untrustedWriter(file) ?? (isRootsAlone(file) ? undefined : `${file} does not belong to root alone`)
    return { file, layer, dialect, ...(detail !== undefined && { refused: note('managed-refused', { file, detail }) }) }
  }
  const isLink = entryAt(link)?.isSymbolicLink() === true
  if (!isLink && layer !== 'user') return { file: link, layer, dialect }
  const remarked = remark && { remark }
  const detail = untrustedWriter(file)
  const found = { file: isLink ? file : link, layer, dialect, ...remarked }
  if (detail === undefined) return found
  const where = { where: { file: link } }
  const unsafe = isLink
    ? note('config-foreign', { link, file, detail }, where)
    : note('config-unsafe', { file, detail }, where)
  return { ...found, refused: unsafe }
}

/** A directory stands in the list for what was not listed; one that cannot be listed at all is reported as unreadable. */
function crowdedNote(directory: string): Note | undefined {
  try {
    const count = listAt(directory).length
    return note('config-crowded', { directory, count, limit: mostDroppedIn }, { where: { file: directory } })
  } catch {
    return undefined
  }
}

/** A file that cannot be read is reported when it is read. */
function isReachable(file: string): boolean {
  try {
    return targetAt(file) !== undefined
  } catch {
    return false
  }
}

/**
 * From the root of the repository down to where the agent works: all of them add up, so that working in a directory
 * further down leaves nothing behind. Without a repository, from below the home directory; elsewhere, only here.
 */
export function projectDirectories(cwd: string, home: string): string[] {
  const upwards = [cwd, ...parentsOf(cwd)]
  const limit = upwards.findIndex((directory) => isReachable(join(directory, '.git')))
  const atHome = upwards.findIndex(isAt(home, cwd))
  const belowHome = atHome === -1 ? 1 : Math.max(atHome, 1)
  return upwards
    .slice(0, limit === -1 ? belowHome : atHome === -1 ? limit + 1 : Math.min(limit + 1, belowHome))
    .reverse()
}

/**
 * The same, past repositories inside of repositories to the outermost: else `git init sub` and working there would be
 * enough to be rid of the project's hooks. A vendored repository, a submodule or a worktree has the outer ones too. Not
 * into a repository that somebody else has made around this one, as in /tmp.
 */
export function guardedDirectories(
  cwd: string,
  home: string,
  untrustedWriter: (file: string) => string | undefined,
): string[] {
  const inner = projectDirectories(cwd, home)
  const [top = cwd] = inner
  if (!isReachable(join(top, '.git'))) return inner
  const above = parentsOf(top)
  const atHome = above.findIndex(isAt(home, top))
  const outermost = above.slice(0, atHome === -1 ? above.length : atHome).findLastIndex((directory) => {
    const repository = join(directory, '.git')
    return isReachable(repository) && untrustedWriter(repository) === undefined
  })
  return [...above.slice(0, outermost + 1).reverse(), ...inner]
}

/**
 * The root of the project at a directory: of its repository; where there is none, the nearest directory with a config of
 * ours. Undefined: it is in no project.
 */
export function projectRoot(cwd: string, home: string): string | undefined {
  const directories = projectDirectories(cwd, home)
  const [top] = directories
  if (top !== undefined && isReachable(join(top, '.git'))) return top
  return directories.findLast(
    (directory) => named(directory, 'hookline').length > 0 || isReachable(join(directory, '.hookline')),
  )
}

/** Which formats a config can have, and which of them is found first. */
const endings = ['.yaml', '.yml', '.json', '.jsonc']

/** The hooks file of a directory of ours, and what was dropped in beside it. */
function hooksIn(directory: string): string[] {
  return [...named(directory, 'hooks'), ...droppedIn(join(directory, 'hooks.d'))]
}

function named(directory: string, name: string): string[] {
  const files = endings.map((ending) => join(directory, name + ending))
  const hidden = files.find((file) => presence(file) === 'hidden')
  return hidden === undefined ? files.filter((file) => presence(file) === 'there') : [hidden]
}

/**
 * What cannot be looked at may well be there, and a link that leads nowhere was put there for something: both are found,
 * and cannot be read, which is reported. Were they nothing, locking a directory would be enough to be rid of its hooks.
 */
function presence(file: string): 'there' | 'hidden' | 'absent' {
  try {
    return entryAt(file) ? 'there' : 'absent'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? 'absent' : 'hidden'
  }
}

/** In the order of their names, so that a number in front decides; what editors and packagers leave lying is not read. */
function droppedIn(directory: string): string[] {
  // Mostly there is none, and an error that nobody reads costs more than a look.
  if (presence(directory) === 'absent') return []
  let names: string[]
  try {
    names = listAt(directory)
  } catch {
    // What is there and cannot be listed is reported like a file that cannot be read.
    return [directory]
  }
  const files = names
    .filter((name) => !name.startsWith('.') && endings.some((ending) => name.endsWith(ending)))
    .sort()
    .map((name) => join(directory, name))
  return files.length > mostDroppedIn ? [...files.slice(0, mostDroppedIn), directory] : files
}

/** Each is read at every event, also in a clone that nobody has approved: more is not a config but an accident. */
const mostDroppedIn = 100

const inLayer = (layer: Layer, files: readonly string[]): ConfigFile[] => files.map((file) => ({ file, layer }))

function parentsOf(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [] : [parent, ...parentsOf(parent)]
}

/** Whether a directory at or above this one is that other one, whatever links lead there. */
function isAt(other: string, from: string): (directory: string) => boolean {
  const place = realPath(other)
  // Above a path without links there are none either.
  const hasNoLinks = realPath(from) === from
  return (directory) => directory === other || (hasNoLinks ? directory : realPath(directory)) === place
}

/** As a person in this directory would write it: what is below it without the way there. */
export function shortened(file: string, from: string): string {
  const way = relative(from, file)
  return way === '' || way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way) ? file : way
}
