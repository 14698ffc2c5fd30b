import { closest, distance } from 'fastest-levenshtein'

/** ` Did you mean "x"?` when a known name is near enough, else nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = closest(name.toLowerCase(), [...known])
  if (!nearest || distance(name.toLowerCase(), nearest.toLowerCase()) > Math.max(2, name.length / 3)) return ''
  return ` Did you mean \`${nearest}\`?`
}
