export type Argv = { ok: true; words: string[] } | { ok: false; detail: string }

/**
 * "Scripts run with shell=False + argv split": the words of a command as Python's `shlex.split` finds them. Nothing is
 * expanded: no variables, no `~`, no wildcards.
 */
export function splitArgv(command: string): Argv {
  const words: string[] = []
  let rest = command
  let word: string | undefined
  while (rest !== '') {
    const found = piece.exec(rest)
    const { blank, single, double, escaped, plain } = found?.groups ?? {}
    if (blank !== undefined) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (single !== undefined) word = (word ?? '') + single
    else if (double !== undefined) word = (word ?? '') + double.replace(/\\(["\\])/g, '$1')
    else if (escaped !== undefined) word = (word ?? '') + escaped
    else if (plain !== undefined) word = (word ?? '') + plain
    else return { ok: false, detail: rest === '\\' ? 'nothing follows its last `\\`' : 'a quotation does not end' }
    rest = rest.slice(found?.[0].length)
  }
  if (word !== undefined) words.push(word)
  return { ok: true, words }
}

const piece =
  /^(?:(?<blank>[ \t\r\n]+)|'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\.)*)"|\\(?<escaped>.)|(?<plain>[^ \t\r\n'"\\]+))/s

/** The inverse: quoted where it must be. */
export function joinArgv(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`)).join(' ')
}

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
