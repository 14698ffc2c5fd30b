import { distance } from 'fastest-levenshtein'

/** The name that was probably meant: the same in other capitals, or one or two letters off. Short names are too much alike to say. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const word = given.toLowerCase()
  const best = names
    .map((name) => ({ name, off: lettersOff(word, name.toLowerCase()) }))
    .filter(({ name, off }) => name !== given && off <= mayBeOff(word, name))
    .sort((one, other) => one.off - other.off)
  return best[0]?.name
}

/** Two letters that changed places are one mistake. */
function lettersOff(one: string, other: string): number {
  const off = distance(one, other)
  return off === 2 && sorted(one) === sorted(other) ? 1 : off
}

function mayBeOff(given: string, name: string): number {
  if (name.length < 4 || given.length < 3) return 0
  return Math.min(given.length, name.length) < 6 ? 1 : 2
}

const sorted = (word: string): string => [...word].sort().join('')
