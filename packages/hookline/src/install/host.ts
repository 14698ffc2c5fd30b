import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { didYouMean, HooklineError, isRecord, note } from '../core/index.ts'
import {
  type Ground,
  type Host,
  installable,
  isEntryCommand,
  loadHost,
  type Ours,
  type Scope,
  type WantedFile,
} from '../hosts/index.ts'
import { isRootsAlone } from '../platform/index.ts'
import { type Changed, checkFile, installFile, uninstallFile } from './change.ts'
import { readJson } from './edit-json.ts'
import { addTables, hasTables, removeTables } from './edit-toml.ts'
import { entryPath, type Installation, installEngine, markPath } from './engine.ts'
import { readText, removeFile, writeText } from './files.ts'
import { changeRecords, readRecords } from './record.ts'

export async function hostNamed(name: string): Promise<Host> {
  const host = await loadHost(name)
  if (host && installable.includes(name)) return host
  throw new HooklineError(
    note('host-unknown', { host: name, hint: didYouMean(name, installable), known: installable.join(', ') }),
  )
}

/** The files of a host for that scope, as they should be. */
export function filesOf(host: Host, scope: Scope, ground: Ground, { entry }: Installation): readonly WantedFile[] {
  const ours: Ours = { entry, mark: markPath(host.name) }
  const files = host.setup.files(scope, ground, ours)
  if (files) return files
  const instead = (['user', 'project', 'managed'] as const).find((each) => host.setup.files(each, ground, ours))
  throw new HooklineError(
    note('host-scope', { called: host.called, whose: whose[scope], instead: `--${instead ?? 'user'}` }),
  )
}

const whose: Record<Scope, string> = { user: 'a person', project: 'a project', managed: 'an administrator' }

/** Where the entry of a scope is, whether it is there or not. */
export const installationOf = (scope: Scope): Installation => ({ entry: entryPath(scope === 'managed') })

/** Copies the engine and tells the host to run our entry. Nothing is written for a host whose files cannot be read. */
export function installHost(host: Host, scope: Scope, ground: Ground, engine = installEngine): Changed[] {
  const files = filesOf(host, scope, ground, installationOf(scope))
  const install = () => {
    // All of them, or none.
    for (const file of files) checkFile(file)
    const installation = engine(scope === 'managed')
    const wanted =
      installation.entry === installationOf(scope).entry ? files : filesOf(host, scope, ground, installation)
    return wanted.map((file) => installFile(file, { host: host.name, scope }))
  }
  return scope === 'managed' ? asAdministrator(files, install) : install()
}

/** What is for everybody can be read by everybody, whatever root keeps for itself, and changed by nobody else. */
function asAdministrator<T>(files: readonly WantedFile[], install: () => T): T {
  if (process.getuid?.() !== 0) throw new HooklineError(note('host-needs-root', {}))
  const open = [...files.map(({ path }) => path), entryPath(true)].map(nearest).find((path) => !isRootsAlone(path))
  if (open !== undefined) throw new HooklineError(note('host-file-not-roots', { file: open }))
  const before = process.umask(0o022)
  try {
    return install()
  } finally {
    process.umask(before)
  }
}

const nearest = (path: string): string => (existsSync(path) || path === dirname(path) ? path : nearest(dirname(path)))

export function uninstallHost(host: Host, scope: Scope, ground: Ground): Changed[] {
  const files = filesOf(host, scope, ground, installationOf(scope))
  const done = files.toReversed().map(uninstallFile).toReversed()
  const trusted = host.setup.trust && distrust(host.setup.trust.file(ground))
  return [...done, ...(trusted ? [trusted] : [])]
}

/** Writes what the host wants its user to have looked at: only when its user said so. */
export function trustHost(host: Host, scope: Scope, ground: Ground): Changed | undefined {
  const { trust } = host.setup
  if (!trust) return undefined
  const tables = filesOf(host, scope, ground, installationOf(scope)).flatMap((file) => {
    if (file.kind !== 'shared') return []
    const read = readJson(readText(file.path) ?? '', file.format)
    const hooks = read.ok && isRecord(read.value['hooks']) ? read.value['hooks'] : {}
    return trust.tables(file.path, hooks, isEntryCommand, sha256)
  })
  const path = trust.file(ground)
  const before = readText(path)
  const edited = addTables(before ?? '', tables)
  if (!edited.ok) throw new HooklineError(note('host-file-unreadable', { file: path, detail: edited.detail }))
  if (edited.text === before) return { path, did: 'kept' }
  const made = writeText(path, edited.text)
  if (before === undefined)
    changeRecords((records) => {
      records[path] = { host: host.name, scope, created: true, made }
    })
  return { path, did: 'wrote' }
}

function distrust(path: string): Changed | undefined {
  const text = readText(path)
  if (text === undefined || !hasTables(text)) return undefined
  const next = removeTables(text)
  const known = readRecords()[path]
  if (known?.created && next.trim() === '') removeFile(path, known.made)
  else writeText(path, next)
  if (known)
    changeRecords((records) => {
      delete records[path]
    })
  return { path, did: 'removed' }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
