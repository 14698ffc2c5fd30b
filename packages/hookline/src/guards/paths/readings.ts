/**
 * The ways in which programs read one text as a path. Each way turns the text into absolute paths without `.`, `..` or `//`.
 *
 * - plain: as a POSIX or Windows system opens it, with a leading `~` or `$HOME` expanded.
 * - folded: as a careless or case-insensitive reader takes it: percent-encoding undone, look-alike forms, case and invisible characters
 *   folded, backslashes, trailing dots, streams (`.env::$DATA`) and short names (`SSH~1`) understood as on Windows.
 *
 * A drive is written `/c:/…` and a network share `/unc:/server/share/…`, so that one comparison serves all systems.
 */

export interface Surroundings {
  cwd?: string
  home?: string
}

export interface Reading {
  path: string
  /** False when the path depends on a directory that was not given. */
  anchored: boolean
  /** What makes the text untrustworthy as a path, as the end of a sentence about it. */
  oddity?: string
}

export type WayOfReading = (text: string, surroundings: Surroundings) => Reading[]

export const waysOfReading: readonly WayOfReading[] = [readPlainly, readFolded]

export function isAbsolute(text: string): boolean {
  return text.startsWith('/') || isWindowsPath(text)
}

function readPlainly(text: string, { cwd = '', home = '' }: Surroundings): Reading[] {
  const windows = isWindowsPath(text) || isWindowsPath(cwd)
  const spell = (path: string) => (windows || isWindowsPath(path) ? withSlashes(path) : path).normalize('NFC')
  return cutAtNul(text).map((piece) => {
    const from = expand(spell(cwd), '', spell(home))
    return resolve(expand(withoutFileScheme(spell(piece)), from, spell(home)), from, text)
  })
}

function readFolded(text: string, { cwd = '', home = '' }: Surroundings): Reading[] {
  const folded = fold(text)
  return cutAtNul(folded).flatMap((piece) => {
    const from = trimSegments(expand(fold(cwd), '', fold(home)))
    const reading = resolve(trimSegments(expand(withoutFileScheme(piece), from, fold(home))), from, folded)
    const long = reading.path.replace(SHORT_NAME, '/.$1')
    return long === reading.path ? [reading] : [reading, { ...reading, path: long }]
  })
}

/** `text` is the whole text before any cut, for what it gives away. */
function resolve(path: string, from: string, text: string): Reading {
  const segments = segmentsOf(path)
  const settled = settle(isAbsolute(path) ? segments : [...settle(segmentsOf(from)), ...segments])
  const oddity = oddityOf(text, segments)
  return {
    path: seenFromRoot(`/${settled.join('/')}`),
    anchored: (isAbsolute(path) || isAbsolute(from)) && settled[0] !== UNKNOWN_HOME,
    ...(oddity ? { oddity } : {}),
  }
}

function oddityOf(text: string, segments: string[]): string | undefined {
  if (text.includes('\0')) return 'contains a NUL character'
  if (decodeFully(text) === undefined) return 'is percent-encoded over and over'
  if (segments.includes('..')) return 'climbs with ".."'
  return undefined
}

/** C programs stop at a NUL; others go on. */
function cutAtNul(text: string): string[] {
  const [head = ''] = text.split('\0')
  return head === text ? [text] : [head, text.replaceAll('\0', '')]
}

function fold(text: string): string {
  const decoded = decodeFully(text.trim()) ?? text
  const visible = decoded.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  const slashed = withSlashes(visible.toUpperCase().toLowerCase().normalize('NFC'))
  return slashed.replace(/^[a-z]:(?=[^/])/, '$&/') // `C:x` is in whatever directory that drive is at: taken as its root
}

/** Windows drops trailing dots and spaces of a name, and takes what follows a colon for a stream of the file. */
function trimSegments(path: string): string {
  return path
    .split('/')
    .map((segment, index) => {
      const name = /^(?:[a-z]|unc):$/.test(segment) && index < 2 ? segment : segment.replace(/:.*$/s, '')
      return /^\.\.(?:\s[\s.]*)?$/.test(name) ? '..' : name.replace(/(?<![.\s])[.\s]+$/, '')
    })
    .join('/')
}

/** The 8.3 form of a dotted name of up to six letters: `.claude` is also `CLAUDE~1`. Longer stems are cut, so they tell nothing. */
const SHORT_NAME = /\/([a-z0-9_-]{2,6})~\d+(?=\/|$)/g

/** `\\?\C:\x`, `\\.\C:\x` and `C:\x` are one path; so are `\\?\UNC\server\share` and `\\server\share`. */
function withSlashes(path: string): string {
  const slashed = path.replaceAll('\\', '/')
  const device = /^\/\/[?.]\/(unc\/)?/i.exec(slashed)
  if (device) return (device[1] ? '/unc:/' : '/') + slashed.slice(device[0].length)
  if (path.startsWith('\\\\')) return `/unc:/${slashed.slice(2)}`
  return slashed
}

function isWindowsPath(path: string): boolean {
  return /^(?:\/?[a-z]:(?:[\\/]|$)|\\\\|\/unc:\/)/i.test(path)
}

function withoutFileScheme(path: string): string {
  return path.replace(/^file:(?:\/\/[^/]*)?(?=\/|[a-z]:)/i, '')
}

const UNKNOWN_HOME = '~'

/** A leading name for a directory: what it stands for, below the home directory. */
const HOME_NAMES: readonly [RegExp, string][] = [
  [
    /^(?:~|\$home|\$\{home\}|%home%|%userprofile%|\$env:(?:home|userprofile)|\$\{env:(?:home|userprofile)\})(?=\/|$)/i,
    '',
  ],
  [/^(?:\$xdg_config_home|\$\{xdg_config_home\})(?=\/|$)/i, '/.config'],
  [/^(?:\$xdg_data_home|\$\{xdg_data_home\})(?=\/|$)/i, '/.local/share'],
  [/^(?:\$xdg_state_home|\$\{xdg_state_home\})(?=\/|$)/i, '/.local/state'],
  [/^(?:%appdata%|\$env:appdata)(?=\/|$)/i, '/AppData/Roaming'],
  [/^(?:%localappdata%|\$env:localappdata)(?=\/|$)/i, '/AppData/Local'],
]

function expand(path: string, from: string, home: string): string {
  for (const [name, below] of HOME_NAMES)
    if (name.test(path)) return path.replace(name, () => (home || `/${UNKNOWN_HOME}`) + below)
  const here = /^(?:\$pwd|\$\{pwd\})(?=\/|$)/i
  if (here.test(path)) return path.replace(here, () => from || '.')
  const user = /^~[a-z_][\w.-]*(?=\/)|^~[a-z_][\w-]*$/i
  return path.replace(user, (whole) => (whole === '~root' ? '/root' : `${parentOf(home) || '/home'}/${whole.slice(1)}`))
}

function parentOf(path: string): string {
  return path.replace(/\/+$/, '').replace(/\/[^/]*$/, '')
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== '.')
}

function settle(segments: string[]): string[] {
  const settled: string[] = []
  for (const segment of segments) {
    if (segment !== '..') settled.push(segment)
    else if (settled.length > 1 || !isDrive(settled[0])) settled.pop()
  }
  return isDrive(settled[0]) ? settled.map((segment) => segment.toLowerCase()) : settled
}

function isDrive(segment: string | undefined): boolean {
  return /^[a-z]:$/i.test(segment ?? '')
}

/** Doors that lead back to the root: a process's view of it on Linux, and the firmlinks of macOS. */
function seenFromRoot(path: string): string {
  const outer = path
    .replace(/^(?:\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/root(?=\/|$))+/i, '')
    .replace(/^\/System\/Volumes\/Data(?=\/|$)/i, '')
    .replace(/^\/private(?=\/(?:etc|var|tmp)(?:\/|$))/i, '')
  return outer || '/'
}

/** Percent-encoding as careless readers undo it: repeatedly, in overlong UTF-8 (`%c0%af` for `/`) and in the `%u002f` form. */

const MOST_LAYERS = 8

/** The text with every layer undone; undefined when there are too many. */
export function decodeFully(text: string): string | undefined {
  let decoded = text
  for (let layer = 0; layer < MOST_LAYERS; layer++) {
    const next = decodeOnce(decoded.normalize('NFKC'))
    if (next === decoded) return decoded
    decoded = next
  }
  return undefined
}

function decodeOnce(text: string): string {
  if (!text.includes('%')) return text
  return text
    .replace(/%u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/%(c[01])%([89ab][0-9a-f])/gi, (_, lead: string, trail: string) => overlong(lead, trail))
    .replace(/(?:%[0-9a-f]{2})+/gi, decodeRun)
}

function overlong(lead: string, trail: string): string {
  return String.fromCharCode(((Number.parseInt(lead, 16) & 0x1f) << 6) | (Number.parseInt(trail, 16) & 0x3f))
}

/** A run that is not UTF-8 is undone where it is ASCII. */
function decodeRun(run: string): string {
  try {
    return decodeURIComponent(run)
  } catch {
    return run.replace(/%[0-7][0-9a-f]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
  }
}
