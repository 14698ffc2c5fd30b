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
export function placeAt(path: string, access: 'read' | 'write'): SensitivePlace | undefined {
  const folded = path.toLowerCase()
  return tests.find((row) => (row.place.access === 'both' || row.place.access === access) && row.matches(folded))?.place
}

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
