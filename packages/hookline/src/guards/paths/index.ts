/**
 * Is it ordinary to read or write this path? Pure: nothing is looked up on disk.
 *
 * A path is judged in every reading that some program may give it (see `readings.ts`), and the worst verdict wins:
 * `sensitive` > `outside` > `traversal` > `ordinary`. A sensitive place is the gravest, wherever the roots are; then what leaves the
 * roots; then what climbs with `..`, which is reported even when the text ends inside a root, because after a symlink `..` does not lead where
 * the text says.
 */
import {
  agentPlaces,
  holdsCredentials,
  placeAt,
  runsLater,
  type SensitivePlace,
  sensitivePlaces,
} from './places/index.ts'
import { isAbsolute, type Reading, waysOfReading } from './readings.ts'

export { agentPlaces, holdsCredentials, placeAt, runsLater, type SensitivePlace, sensitivePlaces }

export type Access = 'read' | 'write'

export interface PathQuestion {
  path: string
  access: Access
  /** Where a relative path starts. Without it, such a path is judged from `/` and lies outside any root. */
  cwd?: string
  home?: string
  /** Absolute directories outside of which nothing is ordinary; an empty list leaves nothing inside. Pass them with symlinks resolved. */
  roots?: readonly string[]
  /** The path with symlinks resolved. For a file that does not exist yet: its directory resolved, then the name. Judged besides `path`. */
  realpath?: string
}

export interface PathVerdict {
  verdict: 'ordinary' | 'sensitive' | 'traversal' | 'outside'
  /** One sentence for a person. */
  why: string
}

/** @throws TypeError when a root is not absolute: `~` may mean another home where the tool runs. */
export function checkPath(question: PathQuestion): PathVerdict {
  for (const root of question.roots ?? []) requireAbsolute(root)
  const texts = question.realpath === undefined ? [question.path] : [question.path, question.realpath]
  return texts.flatMap((text) => verdictsOn(text, question)).reduce(worse)
}

/** What Linux opens at most. It also bounds the time that matching takes. */
const LONGEST = 4096

function verdictsOn(path: string, question: PathQuestion): PathVerdict[] {
  if (path.length > LONGEST) return [{ verdict: 'sensitive', why: 'The path is too long to be judged.' }]
  return waysOfReading.flatMap((read) =>
    read(path, question).map((reading) =>
      judge(reading, question, (root) => read(root, {}).some((inner) => contains(inner.path, reading.path))),
    ),
  )
}

function judge(reading: Reading, { access, roots }: PathQuestion, isInside: (root: string) => boolean): PathVerdict {
  const place = placeAt(reading.path, access)
  if (place) return { verdict: 'sensitive', why: `${shown(reading.path)} is sensitive to ${access}: ${place.what}.` }
  if (roots && !(reading.anchored && roots.some(isInside)))
    return { verdict: 'outside', why: `${shown(reading.path)} is outside the allowed directories.` }
  if (reading.oddity)
    return { verdict: 'traversal', why: `The path ${reading.oddity}, so its text does not show where it leads.` }
  return { verdict: 'ordinary', why: `${shown(reading.path)} is an ordinary path.` }
}

function worse(one: PathVerdict, other: PathVerdict): PathVerdict {
  return GRAVITY[other.verdict] > GRAVITY[one.verdict] ? other : one
}

const GRAVITY = { ordinary: 0, traversal: 1, outside: 2, sensitive: 3 }

function requireAbsolute(root: string): void {
  if (!isAbsolute(root)) throw new TypeError(`A root must be an absolute path, and ${shown(root)} is not.`)
}

function contains(root: string, path: string): boolean {
  return path === root || path.startsWith(root === '/' ? root : `${root}/`)
}

const shown = (path: string) => JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path)
