/** Where a word leads: against the directory and home of the command, through links, shell patterns filled in. */
import { type Field, isKnown, NAME, NUMBER, PATH, SOME, UNKNOWN } from '../../guards/shell/index.ts'
import { matchesGlob } from '../../shell/index.ts'
import type { Look, Slot } from '../types.ts'
import { showSlot, slotOf } from './slots.ts'

/** One file or directory: all the ways to write it, and how a person would. */
export interface Place {
  paths: readonly Slot[]
  shown: string
}

/** Nothing is kept there, so nothing is read or written. */
const sink = /^\/dev\/(?:null|zero|full|u?random|tty|std(?:in|out|err)|fd\/\d+|pts\/\d+)$/i
const drive = /^([A-Za-z]):(?:[\\/]|$)/
const unknownPiece = new RegExp(`[${UNKNOWN}]`)
const open = new RegExp(`[${UNKNOWN}${NAME}${PATH}*?[]`)
/** More names than this stay a pattern. */
const mostNames = 64

/** The places that a word names: several where a shell pattern matches several names; none for `-` and for sinks. */
export function placesOf(word: Field, cwd: string | undefined, look: Look): Place[] {
  // A number holds no slash: what it is part of stays one name.
  const text = word.listed ?? word.text.replaceAll(NUMBER, NAME)
  if (text === '' || text === '-' || text.length > longest) return text.length > longest ? [nowhere] : []
  if (word.content || sink.test(text)) return []
  const joined = join(text, cwd)
  if (sink.test(joined)) return []
  const names = word.glob && isKnown(joined) ? expandPattern(normalise(joined), look) : undefined
  if (names) return names.map((name) => placeAt(name, name, false, cwd, look))
  return [placeAt(normalise(joined), joined, word.glob, cwd, look)]
}

/** What Linux opens at most. */
const longest = 4_096
const nowhere: Place = { paths: [{ parts: ['', ''] }], shown: '…' }

function placeAt(path: string, joined: string, glob: boolean, cwd: string | undefined, look: Look): Place {
  const texts = new Set([path])
  const real = isAbsolute(path) ? realPath(path, joined, look) : undefined
  if (real !== undefined) texts.add(real)
  for (const text of [...texts]) texts.add(seenFromRoot(text, cwd))
  return {
    paths: [...texts].map((text) => slotOf(text, glob)),
    shown: showSlot(slotOf(relativeTo(path, cwd, look.home))),
  }
}

function join(text: string, cwd: string | undefined): string {
  const slashed = drive.test(text) ? text.replaceAll('\\', '/') : text
  if (isAbsolute(slashed) || slashed === '~' || slashed.startsWith('~/')) return slashed
  if (cwd === undefined) return `${SOME}/${slashed}`
  if (unknownPiece.test(slashed[0] ?? '')) return slashed
  return cwd === '.' ? slashed : `${cwd}/${slashed}`
}

const isAbsolute = (path: string): boolean => path.startsWith('/') || drive.test(path)

/** No `.`, `..` or `//`. Behind `..`, an unknown name may have led anywhere. */
export function normalise(path: string): string {
  const absolute = path.startsWith('/')
  const parts: string[] = []
  let lost = false
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    const last = parts.at(-1)
    if (part !== '..') parts.push(part)
    else if (last !== undefined && unknownPiece.test(last)) {
      parts.splice(0, parts.length, SOME)
      lost = true
    } else if (last !== undefined && last !== '..') parts.pop()
    else if (!absolute) parts.push('..')
  }
  if (!absolute || lost) return parts.join('/') || '.'
  return `/${parts.join('/')}`
}

/** Through links, as the system goes: `..` leaves the directory that a link leads to. Half-known: as far as is known. */
function realPath(path: string, joined: string, look: Look): string | undefined {
  if (!look.realpath) return undefined
  const gap = joined.search(open)
  if (gap < 0) return climbs(joined) ? walkLinks(joined, look) : realOrParent(path, look)
  const end = joined.lastIndexOf('/', gap)
  if (end <= 0 || climbs(joined.slice(end))) return undefined
  const head = joined.slice(0, end)
  const real = climbs(head) ? walkLinks(head, look) : realOrParent(normalise(head), look)
  return real === undefined ? undefined : normalise(`${real}${joined.slice(end)}`)
}

const climbs = (path: string): boolean => /(?:^|\/)\.\.(?:\/|$)/.test(path)

/** What does not exist yet lies in its directory. */
function realOrParent(path: string, look: Look): string {
  for (let end = path.length, tries = 0; end > 0 && tries < 64; end = path.lastIndexOf('/', end - 1), tries++) {
    const real = look.realpath?.(path.slice(0, end))
    if (real !== undefined) return `${real === '/' ? '' : real}${path.slice(end)}`
  }
  return path
}

function walkLinks(path: string, look: Look): string {
  let current = ''
  for (const part of path.split('/').slice(0, 256)) {
    if (part === '' || part === '.') continue
    if (part === '..') current = current.slice(0, Math.max(0, current.lastIndexOf('/')))
    else current = look.realpath?.(`${current}/${part}`) ?? `${current}/${part}`
  }
  return current || '/'
}

/** Doors of Linux and macOS that lead back to the root, or to where the command stands. */
function seenFromRoot(path: string, cwd: string | undefined): string {
  const outer = path
    .replace(/^(?:\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/root(?=\/|$))+/, '')
    .replace(/^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/cwd(?=\/|$)/, cwd ?? SOME)
    .replace(/^\/System\/Volumes\/Data(?=\/|$)/i, '')
    .replace(/^\/private(?=\/(?:etc|var|tmp)(?:\/|$))/, '')
  return outer || '/'
}

/** The existing names that a shell pattern matches; undefined when that cannot be told, or there are none or many. */
function expandPattern(path: string, look: Look): string[] | undefined {
  if (!look.list || !path.startsWith('/') || path.includes('**')) return undefined
  let found = ['']
  for (const part of path.split('/').slice(1)) {
    if (!/[*?[]/.test(part)) found = found.map((each) => `${each}/${part}`)
    else {
      const next: string[] = []
      for (const directory of found) {
        const names = look.list(directory || '/')
        if (!names) continue
        for (const name of names) {
          if (name.startsWith('.') && !part.startsWith('.')) continue
          if (matchesGlob(part, name)) next.push(`${directory}/${name}`)
          if (next.length > mostNames) return undefined
        }
      }
      found = next
    }
  }
  return found.length > 0 ? found : undefined
}

/** As a person who stands there would write it. */
function relativeTo(path: string, cwd: string | undefined, home: string | undefined): string {
  if (cwd && cwd !== '/' && path === cwd) return '.'
  if (cwd && cwd !== '/' && path.startsWith(`${cwd}/`)) return path.slice(cwd.length + 1)
  if (home && home !== '/' && path.startsWith(`${home}/`)) return `~${path.slice(home.length)}`
  return path
}

/** A path as a file tool takes it: no shell has expanded `~` or filled in patterns. */
export function plainPath(text: string, home: string | undefined): Field {
  const local = text.replace(/^file:\/\/(?:localhost)?(?=\/)/i, '')
  const expanded = home && /^~(?=\/|$)/.test(local) ? home + local.slice(1) : local
  return { text: expanded, taints: [], glob: false }
}
