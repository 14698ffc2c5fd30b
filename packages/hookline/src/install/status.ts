import { accessSync, constants, existsSync, realpathSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { HooklineError, type Note, note } from '../core/index.ts'
import { type Ground, type Host, loadHost, type Scope, scopes, type WantedFile } from '../hosts/index.ts'
import { callerEnvironment, homeDirectory } from '../platform/index.ts'
import { hasAll, hasAny } from './change.ts'
import { readJson } from './edit-json.ts'
import { hasTables } from './edit-toml.ts'
import { entryPath, markPath } from './engine.ts'
import { readText } from './files.ts'
import { filesOf, installationOf } from './host.ts'

/** What a host would make of our entry, as far as its files say. */
export type HostState =
  /** Nothing of ours is in its files. */
  | 'not-installed'
  /** Our entry is there as it should be. */
  | 'installed'
  /** Our entry is there, but not as this version would write it, or not at all its events. */
  | 'outdated'
  /** A file cannot be read as the host reads it: it runs no hook of that file. */
  | 'unreadable'
  /** The host is told to run no hooks. */
  | 'switched-off'
  /** The host runs our line, and the program behind it is gone: every call is refused. */
  | 'entry-missing'
  /** The host skips our entry until its user trusts it. */
  | 'untrusted'

export interface HostStatus {
  name: string
  called: string
  /** A program of that name is in the PATH, or its directory is in the home of the user. */
  found: boolean
  program?: string
  installed: boolean
  status: HostState
  scopes: readonly Scope[]
  files: readonly string[]
  /** What is wrong, and what to do. */
  problems: readonly Note[]
  /** When a plugin of ours was last loaded by the host. */
  loaded?: string
}

export function statusOf(host: Host, ground: Ground): HostStatus {
  const program = programOf(host, ground)
  const each = scopes.flatMap((scope) => {
    const files = wantedOf(host, scope, ground)
    return files ? [{ scope, ...stateOf(host, scope, files, ground) }] : []
  })
  const present = each.filter(({ state }) => state !== 'not-installed')
  const worst = severity.find((state) => present.some((scope) => scope.state === state)) ?? 'not-installed'
  const mark = markOf(host.name)
  return {
    name: host.name,
    called: host.called,
    found: program !== undefined || existsSync(host.setup.home(ground)),
    ...(program !== undefined && { program }),
    installed: present.some(({ state }) => state === 'installed' || state === 'untrusted'),
    status: worst,
    scopes: present.map(({ scope }) => scope),
    files: present.flatMap(({ files }) => files),
    problems: present.flatMap(({ problems }) => problems),
    ...(mark !== undefined && { loaded: mark }),
  }
}

/** Whether an entry of its own answers for a host, as far as its files say. */
export async function isInstalledFor(name: string, project: string): Promise<boolean> {
  const host = await loadHost(name)
  if (!host) return false
  const { status } = statusOf(host, { home: homeDirectory(), project, env: callerEnvironment() })
  return status === 'installed'
}

/** The program of a host by its name, where there is one that does not belong to the project. */
export async function hostProgram(
  name: string,
  project: string,
  env: Ground['env'] = callerEnvironment(),
): Promise<string | undefined> {
  const host = await loadHost(name)
  return host && programOf(host, { home: homeDirectory(), project, env })
}

/** The worst first: that is what a host with several files is in. */
const severity: readonly HostState[] = [
  ...(['unreadable', 'entry-missing', 'switched-off', 'outdated', 'untrusted', 'installed'] as const),
]

interface ScopeState {
  state: HostState
  files: string[]
  problems: Note[]
}

function stateOf(host: Host, scope: Scope, wanted: readonly WantedFile[], ground: Ground): ScopeState {
  const files = wanted.map(({ path }) => path)
  const as = (state: HostState, ...problems: Note[]): ScopeState => ({ state, files, problems })
  const read = wanted.map((file) => ({ file, ...presence(file) }))
  const broken = read.find(({ unreadable }) => unreadable)
  if (broken) return as('unreadable', broken.unreadable!)
  if (!read.some(({ any }) => any)) return as('not-installed')
  if (!isExecutable(entryPath(scope === 'managed')))
    return as('entry-missing', note('host-skips', { called: host.called, fix: repair(host) }))
  const off = scope === 'managed' ? undefined : switchedOff(host, ground)
  if (off) return as('switched-off', off)
  if (!read.every(({ all }) => all))
    return as('outdated', note('host-skips', { called: host.called, fix: repair(host) }))
  const skips = host.setup.skips?.[scope]
  if (skips === undefined) return as('installed')
  const isTrusted = host.setup.trust !== undefined && hasTables(readSafely(host.setup.trust.file(ground)) ?? '')
  return isTrusted ? as('installed') : as('untrusted', note('host-skips', { called: host.called, fix: skips }))
}

const repair = ({ name }: Host): string => `Run: hookline install ${name}`

/** Whether anything of ours is in a file, all of it, and whether the host can read it. */
function presence(file: WantedFile): { any: boolean; all: boolean; unreadable?: Note } {
  const text = readSafely(file.path)
  if (text === undefined) return { any: false, all: false }
  if (file.kind === 'own') return { any: true, all: text === file.content, ...ownProblem(file, text) }
  const any = hasAny(text)
  const parsed = readJson(text, file.format)
  // A file without anything of ours is the host's own business.
  if (!parsed.ok && any)
    return { any, all: false, unreadable: note('host-file-unreadable', { file: file.path, detail: parsed.detail }) }
  return { any, all: parsed.ok && hasAll(text, file.format, file.entries) }
}

function ownProblem({ path, content }: Extract<WantedFile, { kind: 'own' }>, text: string): { unreadable?: Note } {
  if (!path.endsWith('.json') || text === content) return {}
  const parsed = readJson(text, { comments: false, byteOrderMark: true })
  return parsed.ok ? {} : { unreadable: note('host-file-unreadable', { file: path, detail: parsed.detail }) }
}

/** A switch in any file that the host reads takes every hook away, also those of another file. */
function switchedOff(host: Host, ground: Ground): Note | undefined {
  const { called, setup } = host
  if (!setup.switches) return undefined
  const shared = (['user', 'project'] as const)
    .flatMap((scope) => wantedOf(host, scope, ground) ?? [])
    .filter((file) => file.kind === 'shared')
  const more = setup.switchFiles?.(ground).map((path) => ({ path, format: { comments: true, byteOrderMark: true } }))
  for (const { path, format } of [...shared, ...(more ?? [])]) {
    const parsed = readJson(readSafely(path) ?? '', format)
    const key = parsed.ok ? setup.switches.find((each) => parsed.value[each] === true) : undefined
    if (key) return note('host-switched-off', { called, key, file: path })
  }
  return undefined
}

function wantedOf(host: Host, scope: Scope, ground: Ground): readonly WantedFile[] | undefined {
  try {
    return filesOf(host, scope, ground, installationOf(scope))
  } catch (error) {
    if (error instanceof HooklineError) return undefined
    throw error
  }
}

/** The program of the host, by the PATH; one that the project brings is not it. */
export function programOf({ setup }: Host, { env, project }: Ground): string | undefined {
  for (const directory of (env['PATH'] ?? '').split(':'))
    for (const program of setup.programs) {
      const path = join(directory, program)
      if (isAbsolute(directory) && isExecutable(path) && !isOfProject(directory, project)) return path
    }
  return undefined
}

/** In the project, under whatever name; or where `npm run` and `npx` look first, for a project that is part of a larger one. */
function isOfProject(directory: string, project: string): boolean {
  const [place, root] = [realPath(directory), realPath(project)]
  const owner = place.endsWith('/node_modules/.bin') ? place.slice(0, -'/node_modules/.bin'.length) : undefined
  return `${place}/`.startsWith(`${root}/`) || (owner !== undefined && `${root}/`.startsWith(`${owner}/`))
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function readSafely(path: string): string | undefined {
  try {
    return readText(path)
  } catch {
    return undefined
  }
}

function markOf(host: string): string | undefined {
  try {
    const { time } = JSON.parse(readText(markPath(host)) ?? '{}') as { time?: unknown }
    return typeof time === 'string' ? time : undefined
  } catch {
    return undefined
  }
}
