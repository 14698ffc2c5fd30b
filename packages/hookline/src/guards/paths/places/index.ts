/** The sensitive places, and how a path is looked up among them. A new place is one row in the file it belongs to. */
import { agents } from './agents.ts'
import { credentials } from './credentials.ts'
import { personal } from './personal.ts'
import type { SensitivePlace } from './place.ts'
import { startup } from './startup.ts'
import { system } from './system.ts'

export type { SensitivePlace }
export { agents as agentPlaces }

export const sensitivePlaces: readonly SensitivePlace[] = [
  ...credentials,
  ...personal,
  ...system,
  ...startup,
  ...agents,
]

/** The first place that this absolute path lies in. */
export const placeAt = (path: string, access: 'read' | 'write'): SensitivePlace | undefined => placesFor[access](path)

const placesFor = {
  read: remembered((path) => findPlace(path, 'read')),
  write: remembered((path) => findPlace(path, 'write')),
}

function findPlace(path: string, access: 'read' | 'write'): SensitivePlace | undefined {
  const folded = path.toLowerCase()
  return tests.find((row) => (row.place.access === 'both' || row.place.access === access) && row.matches(folded))?.place
}

/**
 * Whether reading this absolute path shows credentials: by the same rows for commands as for tools that read files. Settings
 * of ssh, sockets and histories are judged by commands in their own way.
 */
export const holdsCredentials: (path: string) => boolean = remembered((path) => {
  shows ??= rowsThatShow()
  const { quick, rows } = shows
  const folded = path.toLowerCase()
  return quick.test(folded) && rows.some((row) => row.matches(folded))
})

/** Whether what is written to this absolute path runs later, or lets someone in: by the same rows for commands as for tools that write files. */
export const runsLater: (path: string) => boolean = remembered((path) => {
  later ??= {
    quick: patternOf(startup.flatMap(({ paths }) => paths)),
    rows: tests.filter(({ place }) => startup.includes(place)),
  }
  const folded = path.toLowerCase()
  return later.quick.test(folded) && later.rows.some((row) => row.matches(folded))
})

let later: typeof shows
let shows: { quick: RegExp; rows: readonly { matches(path: string): boolean }[] } | undefined

function rowsThatShow() {
  const own = [...credentials, ...personal, ...agents.filter(({ what }) => what === "an agent's keys")].filter(
    ({ what, access }) => access !== 'write' && !/^SSH keys and settings|socket|^a history/.test(what),
  )
  return {
    quick: patternOf(own.flatMap(({ paths }) => paths)),
    rows: tests.filter(({ place }) => own.includes(place)),
  }
}

/** A path is looked up by everybody who judges it, and lines name the same ones again and again: the last answers are kept. */
function remembered<T>(find: (path: string) => T): (path: string) => T {
  const answers = new Map<string, T>()
  return (path) => {
    if (answers.has(path)) return answers.get(path) as T
    const found = find(path)
    if (answers.size >= MOST_ANSWERS) answers.clear()
    if (path.length <= LONGEST_PATH) answers.set(path, found)
    return found
  }
}

const MOST_ANSWERS = 1_000
const LONGEST_PATH = 4_096

/** What a pattern's ending becomes in its regular expression. */
const ENDS: Record<string, string> = { '': '$', '/': '(?:/|$)', '/**': '/' }

const tests = sensitivePlaces.map((place) => {
  const wanted = patternOf(place.paths)
  const excepted = place.except && patternOf(place.except)
  /** An exception covers only the names it matches: what comes before and after them is judged by itself. */
  const matches = (path: string): boolean => {
    if (!wanted.test(path)) return false
    const exception = excepted?.exec(path)
    if (!exception) return true
    return matches(path.slice(0, exception.index)) || matches(`/${path.slice(exception.index + exception[0].length)}`)
  }
  return { place, matches }
})

function patternOf(globs: readonly string[]): RegExp {
  return new RegExp(globs.map((glob) => sourceOf(glob.toLowerCase())).join('|'))
}

function sourceOf(glob: string): string {
  const [, body = '', end = ''] = /^(.*?)(\/\*\*|\/)?$/.exec(glob)!
  const name = body
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^/]*')
    .replaceAll('?', '[^/]')
  return (glob.startsWith('/') ? '^' : '/') + name + ENDS[end]
}
