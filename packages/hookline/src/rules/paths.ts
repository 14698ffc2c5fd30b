import { bracesOf } from './braces.ts'
import { either, type Glob, type Match, matchesSlot, matchesText, maybe, no, pathGlob, yes } from './glob.ts'
import { searching } from './searched.ts'
import { isKnown, type Look, type PathAction, type Slot } from './types.ts'

/** A pattern of files as people write it, understood: from the root, with what lies below what it matches. */
export interface PathPattern {
  text: string
  /** It matches when one of these does: the place itself, and what is in it. */
  globs: readonly Glob[]
  /** The same for names that a search finds: `.env` is then a file, unless a directory of that name is where the search begins. */
  found: readonly Glob[]
  /** The directory it begins in, where it has one; absent: it matches anywhere. */
  anchor?: string
}

export interface Surroundings {
  /** Where relative patterns begin. */
  base: string
  home?: string | undefined
  /** The file system does not distinguish capitals. */
  foldCase?: boolean | undefined
}

export type ParsedPath = { ok: true; pattern: PathPattern } | { ok: false; detail: string; fix: string }

export function parsePath(text: string, { base, home, foldCase = false }: Surroundings): ParsedPath {
  if (text.startsWith('!'))
    return { ok: false, detail: 'it begins with `!`', fix: 'Write what the rule leaves alone under `except`.' }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text))
    return { ok: false, detail: 'it is an address and no path', fix: 'Write addresses under `fetch`.' }
  const written = bracesOf(text)
  if (!written) return { ok: false, detail: 'it stands for more than 64 paths', fix: 'Write fewer, or several rules.' }
  const absolute = written.map((each) => fromRoot(each.replace(/(?<=.)\/+$/, ''), base, home))
  if (absolute.some((each) => each.split('/').includes('..')))
    return { ok: false, detail: 'it leads above the root with `..`', fix: 'Write where it leads.' }
  const globs = absolute.flatMap((each) => [
    pathGlob(each, foldCase),
    ...(each.endsWith('/**') ? [] : [pathGlob(`${each}/**`, foldCase)]),
  ])
  const [anchor] = absolute.map(anchorOf)
  const isName = absolute.every((each) => /^\/\*\*\/[^/]+$/.test(each) && !each.endsWith('/**'))
  const found = isName ? absolute.map((each) => pathGlob(each, foldCase)) : globs
  return { ok: true, pattern: { text, globs, found, ...(absolute.length === 1 && anchor !== undefined && { anchor }) } }
}

/** As in `.gitignore`: a name alone matches anywhere, a path begins at the base. */
function fromRoot(text: string, base: string, home: string | undefined): string {
  if (text === '~' || text.startsWith('~/')) return tidy((home ?? '~') + text.slice(1))
  if (/^[A-Za-z]:[\\/]/.test(text)) return text.replaceAll('\\', '/')
  if (text.startsWith('/')) return tidy(text)
  if (text === '**') return '/**'
  if (text === '.' || text.startsWith('./') || text.startsWith('../') || text === '..') return tidy(`${base}/${text}`)
  if (text.startsWith('**/')) return `/${text}`.replace(/^\/\*\*\/(?:\*\*\/)*/, '/**/')
  return text.includes('/') ? tidy(`${base}/${text}`) : `/**/${text}`
}

function tidy(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && !/[*?[]/.test(parts.at(-1) as string)) parts.pop()
    else parts.push(part)
  }
  return `/${parts.join('/')}`
}

function anchorOf(path: string): string | undefined {
  const wild = path.search(/[*?[]/)
  const whole = wild === -1 ? path : path.slice(0, path.lastIndexOf('/', wild))
  return whole === '' ? undefined : whole
}

/** For deny and ask: any way to write the place matches, or something in it that would be read, changed or removed with it. */
export function touchesPath(
  pattern: PathPattern,
  action: PathAction,
  look: Look,
  spared: readonly PathPattern[] = [],
): Match {
  let found: Match = no
  for (const path of action.paths) {
    // A search finds nothing in a directory that is not there.
    if (path.found && pattern.anchor !== undefined && isMissing(pattern.anchor, look)) continue
    const passed = path.found && !holdsDirectory(pattern, path.parts[0] as string, look)
    const near =
      action.kind !== 'read' || pattern.anchor !== undefined || !isAnyFound(path) || isNear(pattern, path, look)
    for (const glob of passed ? pattern.found : pattern.globs) {
      const match = matchesSlot(glob, path)
      // What is found by its content has any name; as in a tree that is read, what is there decides.
      found = either(found, match === yes || near ? match : no)
      if (found === yes) return yes
    }
  }
  return found === no && action.recursive ? touchesInside(pattern, action, look, spared) : found
}

const isAnyFound = ({ found, parts }: Slot): boolean =>
  found !== undefined && parts.slice(1).every((part) => part === '')

/** Whether something that the pattern names lies where a search begins; where nobody can look, it may. */
function isNear({ globs }: PathPattern, { parts }: Slot, look: Look): boolean {
  const start = (parts[0] as string).replace(/\/+$/, '')
  const names = look.list?.(start || '/')
  return names === undefined || names.some((name) => globs.some((glob) => matchesText(glob, `${start}/${name}`)))
}

/** Whether a directory that the pattern names is where a search begins; further down it is not looked for. */
function holdsDirectory({ globs, found }: PathPattern, begins: string, look: Look): boolean {
  if (found === globs) return true
  const start = begins.slice(0, begins.lastIndexOf('/') + 1)
  const names = look.list?.(start === '/' ? start : start.slice(0, -1)) ?? []
  return names.some((name) => found.some((glob) => matchesText(glob, start + name)) && look.isDirectory?.(start + name))
}

const isMissing = (path: string, look: Look): boolean =>
  look.realpath !== undefined && look.realpath(path) === undefined

/** For allow and except: every way to write the place matches, and all of it is known. */
export const coversPath = ({ globs }: PathPattern, { paths }: PathAction): boolean =>
  paths.length > 0 &&
  paths.every((path) => isKnown(path) && globs.some((glob) => matchesText(glob, path.parts[0] as string)))

/**
 * Something below a tree that is read or removed as a whole: what is there decides. Removing it for sure removes that; of what is
 * read in passing, only the person knows. Looks one directory deep: `grep -r word src` must not become a question.
 */
function touchesInside(
  { globs, anchor }: PathPattern,
  action: PathAction,
  look: Look,
  spared: readonly PathPattern[],
): Match {
  const surely = action.kind === 'read' ? maybe : yes
  for (const slot of action.paths) {
    if (!isKnown(slot)) continue
    const tree = slot.parts[0] as string
    const inTree = tree === '/' ? '/' : `${tree}/`
    if (anchor !== undefined) {
      if (anchor === tree && isAllBelow(globs)) return yes
      const isBelow = anchor === tree || anchor.startsWith(inTree)
      if (isBelow && (look.realpath === undefined || look.realpath(anchor) !== undefined)) return surely
      if (isBelow || !tree.startsWith(`${anchor}/`)) continue
    }
    const isMet = searching(action.search, inTree, look)
    const names = look.list?.(tree)
    const isSpared = (path: string) => spared.some((each) => each.globs.some((glob) => matchesText(glob, path)))
    const matches = (path: string) => globs.some((glob) => matchesText(glob, path)) && !isSpared(path)
    if (names?.some((name) => matches(inTree + name) && isMet(name))) return surely
  }
  return no
}

/** `~/.ssh/**`, and what is read is `~/.ssh` with all that is in it. */
const isAllBelow = ([first]: readonly Glob[]): boolean => first !== undefined && endsInGlob(first)

const endsInGlob = ({ prefix, tokens }: Glob): boolean => prefix.endsWith('/') && tokens.length === prefix.length + 1
