import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { HookFailure } from '../../core/index.ts'
import { isPosixShell, splitWords } from '../../shell/index.ts'

/** A program and its arguments as the system can run them. */
export interface Launch {
  file: string
  args: readonly string[]
  /** The interpreter that the script names and that does not exist here; `file` replaces it. */
  missing?: string
}

/** What a look into a file shows: that the system can run it as it is, or how to run it instead. */
interface Script {
  /** Absent: the script names none. */
  interpreter?: string
  options: string[]
  /** The source for a shell that would stumble over its line ends or its byte order mark. */
  source?: string
}

const looks = new Map<string, { stamp: string; script: Script | undefined }>()
const headBytes = 256
const largestSource = 96 * 1024

/**
 * How to run a script that the system itself would refuse: one without execute bit or shebang, with CRLF line ends,
 * or whose interpreter lives elsewhere. `shell` runs those that name none. Undefined: leave the file to the system.
 */
export function launchScript(
  path: string,
  args: readonly string[],
  searchPath: string | undefined,
  shell = '/bin/sh',
): Launch | undefined {
  const script = lookAt(path)
  if (script === undefined) return undefined
  const { interpreter = shell, options, source } = script
  const own = source === undefined ? [...options, path] : [...options, '-c', source, path]
  if (existsSync(interpreter)) return { file: interpreter, args: [...own, ...args] }
  const found = findOnPath(basename(interpreter), searchPath)
  if (found !== undefined) return { file: found, args: [...own, ...args], missing: interpreter }
  throw new HookFailure(
    'spawn',
    `The interpreter ${interpreter} of ${path} does not exist, and there is no ${basename(interpreter)} on PATH.`,
    'Correct the first line of the script, or install the interpreter.',
  )
}

/** Where the system looks when there is no PATH. */
export const defaultSearchPath = '/usr/local/bin:/usr/bin:/bin'

export function findOnPath(name: string, searchPath: string | undefined): string | undefined {
  const directories = (searchPath ?? defaultSearchPath).split(delimiter)
  return directories.map((directory) => join(directory || '.', name)).find(isExecutable)
}

/** One stat per call; the file is read again only when it has changed. ctime cannot be set back, mtime can. */
function lookAt(path: string): Script | undefined {
  const stats = statsOf(path)
  if (!stats?.isFile()) return undefined
  const stamp = `${stats.ino}:${stats.size}:${stats.ctimeMs}`
  const known = looks.get(path)
  if (known?.stamp === stamp) return known.script
  if (looks.size > 1_000) looks.clear()
  const script = read(path, stats)
  looks.set(path, { stamp, script })
  return script
}

function read(path: string, stats: Stats): Script | undefined {
  const head = headOf(path)
  // Programs hold NUL bytes within their first lines, scripts never do. An empty file is an empty script.
  if (head === undefined || head.includes(0)) return undefined
  const text = head.toString('utf8')
  const bom = text.startsWith('\ufeff')
  const [first = ''] = text.slice(bom ? 1 : 0).split('\n', 1)
  const shebang = /^#![ \t]*(?<interpreter>\S+)[ \t]*(?<rest>.*?)[ \t\r]*$/.exec(first)?.groups
  const crlf = first.endsWith('\r')
  const named = shebang?.['interpreter']
  const interpreter = named ?? '/bin/sh'
  const rest = shebang?.['rest'] ?? ''
  const options = basename(interpreter) === 'env' ? envWords(rest) : rest === '' ? [] : [rest]

  const asWritten = rest === '' || options.length === 1 || rest.startsWith('-S')
  if (shebang && !bom && !crlf && asWritten && isExecutable(path) && existsSync(interpreter)) return undefined
  const needsSource = (bom || crlf) && isShell(interpreter, options) && stats.size <= largestSource
  const found = { ...(named === undefined ? {} : { interpreter: named }), options }
  if (!needsSource) return found
  const source = readFileSync(path, 'utf8')
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
  return { ...found, source }
}

/** `env -S a "b c"` and, because some systems split it, `env a b`. */
function envWords(rest: string): string[] {
  const text = rest.replace(/^-S\s*/, '')
  const split = splitWords(text)
  return split.ok ? split.words : text.split(/\s+/).filter(Boolean)
}

function isShell(interpreter: string, options: readonly string[]): boolean {
  return isPosixShell(interpreter) || (basename(interpreter) === 'env' && options.some(isPosixShell))
}

export function headOf(path: string): Buffer | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, 'r')
    const buffer = Buffer.alloc(headBytes)
    return buffer.subarray(0, readSync(descriptor, buffer, 0, headBytes, 0))
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

export function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

const isExecutable = (path: string): boolean => isAllowed(path, constants.X_OK) && statsOf(path)?.isFile() === true
