/** Words and the text that means them: quoting, and its inverse. */

const plain = /^[\w@%+=:,./-]+$/

/** Whether every shell reads this text, unquoted, as the one word that it is. */
export const isPlain = (text: string): boolean => plain.test(text)

/** The text that every POSIX shell reads as this one word; quoted only where it must be. */
export const quoteWord = (word: string): string => (isPlain(word) ? word : quoteAlways(word))

export const quoteWords = (words: readonly string[]): string => words.map(quoteWord).join(' ')

/** Quoted also where that changes nothing, for text that another program reads besides the shell. */
export const quoteAlways = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

export type Split = { ok: true; words: string[] } | { ok: false; detail: string }

/**
 * The words of a command that runs without a shell, as `shlex.split` of Python and `env -S` find them: quotes and
 * backslashes count, nothing else does. No variables, no `~`, no wildcards, no operators. The inverse of `quoteWords`.
 */
export function splitWords(text: string): Split {
  const words: string[] = []
  let rest = text
  let word: string | undefined
  while (rest !== '') {
    const found = piece.exec(rest)
    const { blank, single, double, escaped, bare } = found?.groups ?? {}
    if (blank !== undefined) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (single !== undefined) word = (word ?? '') + single
    else if (double !== undefined) word = (word ?? '') + double.replace(/\\(["\\])/g, '$1')
    else if (escaped !== undefined) word = (word ?? '') + escaped
    else if (bare !== undefined) word = (word ?? '') + bare
    else return { ok: false, detail: rest === '\\' ? 'nothing follows its last `\\`' : 'a quotation does not end' }
    rest = rest.slice(found?.[0].length)
  }
  if (word !== undefined) words.push(word)
  return { ok: true, words }
}

const piece =
  /^(?:(?<blank>[ \t\r\n]+)|'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\.)*)"|\\(?<escaped>.)|(?<bare>[^ \t\r\n'"\\]+))/s
