/**
 * The word that names the script, if it does so by a relative path: the program, or the file an interpreter is given.
 * The document warns that such a hook cannot be started and, failing open, silently protects nothing.
 */
export function relativeScript([program = '', ...args]: readonly string[]): string | undefined {
  if (program.includes('/')) return isAbsolute(program) ? undefined : program
  const script = args.find((word) => !word.startsWith('-'))
  return script !== undefined && looksLikeFile(script) && !isAbsolute(script) ? script : undefined
}

const isAbsolute = (path: string) => /^(?:\/|[A-Za-z]:[\\/])/.test(path)
const looksLikeFile = (word: string) =>
  /^[^\s:;|&<>$()]+$/.test(word) && (word.includes('/') || /\.\w{1,4}$/.test(word))
