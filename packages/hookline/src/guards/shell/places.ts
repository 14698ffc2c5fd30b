import { matchesGlob } from '../../shell/index.ts'
import type { Place } from './place.ts'
import { emptiest, type Field, isKnown, MAYBE } from './text.ts'
import type { State } from './types.ts'
import { lead } from './ways.ts'

export type { Place } from './place.ts'

export const CRITICAL: ReadonlySet<Place> = new Set(['root', 'system', 'home', 'device'])

const SYSTEM_ROOTS = (
  'etc usr bin sbin lib lib32 lib64 libx32 boot dev proc sys root system library windows c/windows ' +
  'var/lib var/log var/spool var/db var/run var/cache var/mail var/backups program\\ files'
)
  .split(/(?<!\\) /)
  .map((root) => `/${root.replace('\\', '')}`)
/** Directories that only hold other people's trees: they themselves are as precious as the system. */
const CONTAINERS =
  '/var /opt /srv /mnt /media /run /home /users /applications /volumes /nix /snap /private /c /d'.split(' ')
const TEMP_ROOTS = ['/tmp', '/var/tmp', '/dev/shm', '/var/folders']
const SINKS = /^\/dev\/(?:null|zero|full|random|urandom|tty|stdin|stdout|stderr|ptmx|fd\/\d+|pts\/\d+)$/
const ARTEFACTS =
  /^(?:node_modules|dist|build|out|target|bin|obj|coverage|\.cache|cache|__pycache__|\.pytest_cache|\.mypy_cache|\.next|\.nuxt|\.turbo|\.parcel-cache|\.gradle|\.venv|venv|tmp|temp|\.npm|\.tox|logs?|.*\.egg-info)$/
const CACHES =
  /^(?:\.(?:cache|npm|gradle|m2|cargo|nuget|yarn|pnpm-store|tmp|ccache|node-gyp|deno|Trash)|\.bun\/install|\.local\/share\/(?:Trash|pnpm|uv|virtualenvs)|\.(?:rustup|pyenv|nvm|rbenv|asdf)\/.*cache.*|go\/pkg|Library\/(?:Caches|Developer\/(?:Xcode\/(?:DerivedData|Archives)|CoreSimulator\/Caches)|Logs))(?:\/|$)/

/** What package managers of the system fetch again. */
const FETCHED_AGAIN = /^\/var\/(?:lib\/apt\/lists|cache\/(?:apt|yum|dnf|apk|pacman\/pkg|zypp|debconf|man))\/./

/** Where a word points, judged pessimistically when it is only half known. */
export function placeOf(word: Field, state: State): Place {
  const place = placeOfText(word.text, word.glob, state)
  if (!word.text.includes(MAYBE)) return place
  const shortest = emptiest(word.text)
  if (shortest === undefined || shortest === '') return place
  const unset = placeOfText(shortest, word.glob, state)
  return CRITICAL.has(unset) ? unset : place
}

/** Of an absolute path, whatever the working directory is. */
export const placeOfPath = (path: string, home: string): Place =>
  placeOfAbsolute(normalise(path), false, { home, start: undefined })

function placeOfText(text: string, glob: boolean, state: State): Place {
  if (text === '') return 'unknown'
  if (/^[\uE000\uE001\uE005]/.test(text)) return text.includes('/..') ? 'above' : 'unknown'
  const path = resolvePath(text, state)
  if (path === undefined) return /^(?:\.|\*|\.\/\*?)$/.test(text) ? 'start' : 'unknown'
  return path.startsWith('/') ? placeOfAbsolute(path, glob, state) : placeOfRelative(path, glob)
}

function placeOfAbsolute(path: string, glob: boolean, state: Pick<State, 'home' | 'start'>): Place {
  const lower = path.toLowerCase()
  if (lower === '/' || /^(?:\/[*?.]*[*][*?]*)+$/.test(lower)) return 'root'
  if (SINKS.test(lower)) return 'sink'
  const home = state.home.toLowerCase()
  // A home is one wherever it lies, also below /tmp.
  if (lower === home || (glob && lower.startsWith(`${home}/`) && /^[*?.[\]]+$/.test(lower.slice(home.length + 1))))
    return 'home'
  const inHome = lower.startsWith(`${home}/`) && !TEMP_ROOTS.includes(home)
  if (!inHome && TEMP_ROOTS.some((root) => within(lower, root))) return 'temp'
  const start = state.start?.toLowerCase()
  if (start && start !== '/' && start !== home && within(lower, start)) {
    return lower === start || (glob && /^[*?.[\]]+$/.test(lower.slice(start.length + 1))) ? 'start' : 'inside'
  }
  if (lower === home || lower.startsWith(`${home}/`))
    return placeInHome(path.slice(home.length + 1), glob, start !== undefined)
  if (FETCHED_AGAIN.test(lower)) return 'artefact'
  if (within(lower, '/dev')) return isDevice(lower) ? 'device' : 'system'
  if (SYSTEM_ROOTS.some((root) => within(lower, root))) return 'system'
  const other = /^\/(?:home|users)\/[^/]+(?:\/(.*))?$/.exec(path) ?? /^\/c\/users\/[^/]+(?:\/(.*))?$/i.exec(path)
  if (other) return placeInHome(other[1] ?? '', glob, start !== undefined)
  if (CONTAINERS.includes(lower)) return lower === '/home' || lower === '/users' ? 'home' : 'system'
  if (glob && globHits(lower)) return 'system'
  const parts = lower.split('/').filter(Boolean)
  return parts.length >= 3 && ARTEFACTS.test(parts.at(-1) ?? '') ? 'artefact' : 'outside'
}

function placeInHome(rest: string, glob: boolean, elsewhere: boolean): Place {
  const [first = '', ...deeper] = rest.split('/').filter(Boolean)
  if (first === '' || (glob && deeper.length === 0 && /^[*?.[\]]+$/.test(first))) return 'home'
  if (CACHES.test([first, ...deeper].join('/')) || (deeper.length > 0 && ARTEFACTS.test(deeper.at(-1) ?? '')))
    return 'artefact'
  if (deeper.length === 0) return 'home-child'
  // Without a working directory, it may be the project.
  return elsewhere ? 'outside' : 'inside'
}

function placeOfRelative(path: string, glob: boolean): Place {
  if (path === '..' || path.startsWith('../')) return 'above'
  if (glob && /^\.[*?]+$/.test(path)) return 'above' // .* is also ..
  if (path === '.' || (glob && /^[*?]+$/.test(path))) return 'start'
  return ARTEFACTS.test(path.split('/').at(-1) ?? '') ? 'artefact' : 'inside'
}

/** Absolute where that is known, else relative to where the line started; undefined when the directory is lost. */
export function resolvePath(text: string, state: State): string | undefined {
  const drive = /^([A-Za-z]):(?:[\\/]|$)/.exec(text)
  const slashed = drive ? `/${drive[1]?.toLowerCase()}/${text.slice(2).replaceAll('\\', '/')}` : text
  if (!slashed.startsWith('/') && state.cwd === undefined) return undefined
  const path = normalise(slashed.startsWith('/') ? slashed : `${state.cwd}/${slashed}`)
  return state.ways.length === 0 ? path : lead(path, state.ways, /\/\.?$/.test(slashed))
}

/** The word that whoever opens it means: a link that the line has made leads on. */
export function asOpened(word: Field, state: State): Field {
  if (state.ways.length === 0) return word
  const path = resolvePath(word.text, state)
  const led = path === undefined ? undefined : lead(path, state.ways, true)
  return led === undefined || led === path ? word : { ...word, text: led }
}

/** What has to be taken out of a path; most have nothing of it, and every word is resolved many times. */
const UNTIDY = /^$|\/\/|(?:^|\/)\.\.?(?:\/|$)|\/$|^\/private\//

function normalise(path: string): string {
  if (!UNTIDY.test(path)) return path
  const absolute = path.startsWith('/')
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (!absolute) parts.push('..')
  }
  if (!absolute) return parts.join('/') || '.'
  // On macOS /etc, /tmp and /var are links into /private.
  const start = parts[0] === 'private' && /^(?:etc|tmp|var)$/.test(parts[1] ?? '') ? 1 : 0
  return `/${parts.slice(start).join('/')}`
}

function within(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`)
}

function isDevice(path: string): boolean {
  return /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper\/|md|dm-|loop|sr|mem|kmem|port|nbd|zd|pmem|by-|disk\/)/.test(
    path,
  )
}

function globHits(pattern: string): boolean {
  return [...SYSTEM_ROOTS, ...CONTAINERS].some((root) => matchesGlob(pattern, root, true))
}

/** Whether every run of the word is known, globs aside. */
export function isResolved(word: Field): boolean {
  return isKnown(word.text)
}

/** In memory, or hidden among scratch files: nobody keeps a program there that others may see. */
export const isHidingPlace = (path: string): boolean => /^\/dev\/shm\/|^\/(?:var\/)?tmp\/\.[^/]+$/.test(path)
