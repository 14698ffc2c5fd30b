/** How scripts ask where they are. */
const asksWhere =
  /\$\{?0\b|BASH_SOURCE|\$\{?\(%\)|__file__|__FILE__|__DIR__|__dirname|__filename|import\.meta|argv\[[01]\]|PROGRAM_NAME|FindBin|PSScriptRoot/

/** `dirname "$0"` and the like: their own directory, and no further. */
const ownDirectory = /\bdirname(?:\s+--)?\W{1,6}(?:(?:realpath|readlink|readlink -f)\W{1,6})?(?:0\b|BASH_SOURCE)/g

/** How they go up from there: `..`, or the directory of a directory. */
const goesUp = [
  /(?<![.\w])\.\.(?=[/\\"'`)\s]|$)/m,
  /\.parent\.parent|\.parents\[[1-9]|\b[A-Z][A-Z_]+\.parent\b/,
  /\bdirname\W{1,6}(?:\w+\.){0,2}dirname|\bdirname\([A-Z_]+\)|\bdirname\s+["']?\$/,
]

/**
 * Whether a script goes up from where it stands: a copy of it stands elsewhere, and would find other things there.
 * It leans towards yes.
 */
export function looksAbove(text: string): boolean {
  if (!asksWhere.test(text)) return false
  const others = text.replace(ownDirectory, '')
  return goesUp.some((pattern) => pattern.test(others))
}
