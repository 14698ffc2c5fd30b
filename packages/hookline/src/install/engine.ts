import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { eventNames } from '../core/index.ts'
import { makeSocketDirectory, socketPath } from '../daemon/index.ts'
import { entryProgram, isClosed } from '../hosts/index.ts'
import {
  dataDirectory,
  makeDirectory,
  packageFile,
  userDirectory,
  userDirectoryFile,
  version,
} from '../platform/index.ts'
import { quoteAlways } from '../shell/index.ts'
import { clientHere, installClient, readTextOrNone } from './client.ts'
import { writeText } from './files.ts'

/** What answers hosts: it stays where it is when the package is updated, moved or removed. */
export interface Installation {
  /** The program that hosts run. */
  entry: string
}

export const managedDirectory = '/usr/local/lib/hookline'
const placeOf = (managed: boolean): string => (managed ? managedDirectory : dataDirectory())
export const entryPath = (managed = false): string => join(placeOf(managed), 'bin', entryProgram)
export const markPath = (host: string): string => join(dataDirectory(), 'marks', `${host}.json`)

/** Copies the engine to a directory of its own version, and writes the program that hosts run. Twice changes nothing. */
export function installEngine(managed = false): Installation {
  const place = placeOf(managed)
  const engine = copyEngine(place)
  const entry = entryPath(managed)
  const program = join(engine, 'bin', 'hookline.js')
  if (!managed) {
    makeDirectory(join(place, 'marks'))
    if (readTextOrNone(userDirectoryFile(place)) !== `${userDirectory()}\n`)
      writeText(userDirectoryFile(place), `${userDirectory()}\n`, 0o600)
  }
  // What a user runs, that user can replace: where an administrator decides, nobody relies on a daemon of the user's.
  const client = managed ? undefined : clientHere()
  const table = { engine: basename(engine), node: process.execPath, program, socket: socketPath() }
  if (client && isPrivate(table.socket) && installClient(entry, client, table)) return { entry }
  const script = entryScript(process.execPath, program)
  if (readTextOrNone(entry) !== script) writeText(entry, script, 0o755)
  chmodSync(entry, 0o755)
  return { entry }
}

/** Which build this is: by it the daemon and the client know whether they belong together. */
export function engineName(): string {
  const own = packageFile()
  return basename(dirname(own)) === 'engine' ? basename(own) : engineId()
}

const engineId = (): string => `${version()}-${digestOf(packageFile('dist'))}`

function isPrivate(socket: string): boolean {
  try {
    makeSocketDirectory(socket)
    return true
  } catch {
    return false
  }
}

const parts = ['bin', 'dist', 'package.json', 'schema', 'shims'] as const

function copyEngine(place: string): string {
  const target = join(place, 'engine', engineId())
  if (existsSync(join(target, 'package.json'))) return target
  makeDirectory(join(place, 'engine'), 0o755)
  const draft = mkdtempSync(join(place, 'engine', '.new-'))
  try {
    for (const part of parts)
      if (existsSync(packageFile(part)))
        cpSync(packageFile(part), join(draft, part), { recursive: true, filter: isNeeded, preserveTimestamps: true })
    chmodSync(draft, 0o755)
    // What a run that was interrupted left behind is no engine.
    if (existsSync(target)) rmSync(target, { recursive: true, force: true })
    renameSync(draft, target)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return target
}

/** Neither maps nor declarations. */
const isNeeded = (path: string): boolean => !/\.(?:map|d\.ts)$/.test(path)

function digestOf(directory: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(directory).sort())
    if (name.endsWith('.js')) hash.update(`${name}\0`).update(readFileSync(join(directory, name)))
  return hash.digest('hex').slice(0, 12)
}

/** Seconds after which the entry gives up: below what hosts are told to wait. */
const patience = 50

/** What makes Node run code, or write files, before it runs ours. The client has the same list (dispatch.c). */
export const loaders = [
  ...['NODE_OPTIONS', 'NODE_PATH', 'NODE_COMPILE_CACHE', 'NODE_V8_COVERAGE', 'NODE_REDIRECT_WARNINGS'],
  ...['NODE_REPL_EXTERNAL_MODULE', 'NODE_CHANNEL_FD', 'OPENSSL_CONF', 'OPENSSL_MODULES', 'OPENSSL_ENGINES'],
  ...['LD_PRELOAD', 'LD_AUDIT', 'LD_LIBRARY_PATH', 'DYLD_INSERT_LIBRARIES', 'DYLD_LIBRARY_PATH'],
  ...['DYLD_FRAMEWORK_PATH', 'DYLD_FALLBACK_LIBRARY_PATH', 'DYLD_FALLBACK_FRAMEWORK_PATH'],
] as const

/**
 * Where there is no binary: a shell script that starts Node. It ends what takes too long, since a host that waits in vain
 * lets the call run. Another Node than that of the installation is used where that one is gone.
 */
export function entryScript(node: string, engine: string): string {
  const closed = eventNames.filter(isClosed).join('|')
  return `#!/bin/sh
# Written by \`hookline install\`: what agents run before and after what they do. Usage: ${entryProgram} <host> <event>
node=${quoteAlways(node)}
engine=${quoteAlways(engine)}
# What a project can set for its agent (.env, settings) must not run code in front of the guards.
unset ${loaders.join(' ')}
fail() {
  echo "Hookline cannot run: $1 Repair it: npx hookline install $host" >&2
  exit 2
}
host=$1
event=$2
[ -f "$engine" ] || fail "its engine is gone from $engine."
if [ ! -x "$node" ]; then
  found=$(command -v node)
  case $found in
    "$PWD"/*) fail "Node was at $node and is gone, and one inside the project is not used." ;;
    /*) node=$found ;;
    *) fail "Node was at $node and is gone." ;;
  esac
fi
exec 3<&0
"$node" "$engine" dispatch --host "$host" --event "$event" <&3 3<&- &
work=$!
(
  trap 'kill "$nap" 2>/dev/null; exit' TERM
  sleep ${patience} &
  nap=$!
  wait "$nap"
  kill -9 "$work"
) </dev/null >/dev/null 2>&1 3<&- &
guard=$!
trap 'kill "$work" "$guard" 2>/dev/null; exit 2' TERM INT HUP
wait "$work"
code=$?
kill "$guard" 2>/dev/null
case $code in
  0) exit 0 ;;
  137) [ -n "$event" ] && case $event in ${closed}) fail "it took longer than ${patience} s." ;; esac ;;
esac
exit "$code"
`
}
