/** A word of a command: its text is absent where it is known only when it runs, `raw` is how it is written. */
export interface AnyWord {
  text?: string | undefined
  raw?: string
}

/**
 * Which options take a value, in getopt's notation: `-C:c: --git-dir=`. A letter with `:` takes a value, with `::` only
 * one that is attached (`-i.bak`); a long name with `=` takes one in the next word too. Everything else is a switch.
 */
export interface Options {
  letters: ReadonlyMap<string, 'switch' | 'value' | 'attached'>
  names: ReadonlyMap<string, boolean>
  /** `-word`: options are whole words behind one dash: find, terraform. */
  wholeWords: boolean
  /** `-apart`: the value of a letter is never attached to it: `node -pe CODE` is `-p -e CODE`. */
  apart: boolean
  /** `-#`: `-10` is accepted. */
  numbers: boolean
}

export interface Flag<W> {
  /** 'r', '--force', '-auto-approve'. */
  name: string
  value: W | undefined
}

export interface Arguments<W> {
  /** In order. */
  flags: readonly Flag<W>[]
  operands: readonly W[]
  /** How many operands came before a lone `--`; all of them without one. */
  beforeDashes: number
}

const parsedOptions = new Map<string, Options>()

export function readOptions(notation: string): Options {
  const known = parsedOptions.get(notation)
  if (known) return known
  const letters = new Map<string, 'switch' | 'value' | 'attached'>()
  const names = new Map<string, boolean>()
  let [wholeWords, apart, numbers] = [false, false, false]
  for (const token of notation.split(' ').filter(Boolean)) {
    if (token === '-#') numbers = true
    else if (token === '-word') wholeWords = true
    else if (token === '-apart') apart = true
    else if (token.startsWith('--') || wholeWords) names.set(token.replace(/=$/, ''), token.endsWith('='))
    else
      for (const [, letter = '', colons = ''] of token.slice(1).matchAll(/(.)(:{0,2})/g))
        letters.set(letter, colons === '' ? 'switch' : colons === ':' ? 'value' : 'attached')
  }
  const options = { letters, names, wholeWords, apart, numbers }
  parsedOptions.set(notation, options)
  return options
}

/** With `stopAtOperand`, everything from the first operand on is an operand: how wrappers read their line. */
export function parseArguments<W extends AnyWord>(
  words: readonly W[],
  options: Options,
  stopAtOperand = false,
): Arguments<W> {
  const flags: Flag<W>[] = []
  const operands: W[] = []
  let beforeDashes: number | undefined
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    const text = word.text ?? ''
    if (beforeDashes !== undefined || !text.startsWith('-') || text === '-') {
      operands.push(word)
      if (stopAtOperand) {
        operands.push(...words.slice(at + 1))
        break
      }
    } else if (text === '--') {
      beforeDashes = operands.length
      if (stopAtOperand) {
        operands.push(...words.slice(at + 1))
        break
      }
    } else {
      const own = flagsIn(word, options)
      if (own.takesNext) own.flags.at(-1)!.value = words[++at]
      flags.push(...own.flags)
    }
  }
  return { flags, operands, beforeDashes: beforeDashes ?? operands.length }
}

/** The flags of one word that begins with a dash, and whether the next word is the value of the last of them. */
export function flagsIn<W extends AnyWord>(word: W, options: Options): { flags: Flag<W>[]; takesNext: boolean } {
  const text = word.text ?? ''
  if (text.startsWith('--') || options.wholeWords) {
    const equals = text.indexOf('=')
    if (equals >= 0)
      return {
        flags: [{ name: text.slice(0, equals), value: { ...word, text: text.slice(equals + 1) } }],
        takesNext: false,
      }
    return { flags: [{ name: text, value: undefined }], takesNext: options.names.get(text) === true }
  }
  const flags: Flag<W>[] = []
  const letters = text.slice(1)
  for (let index = 0; index < letters.length; index++) {
    const name = letters[index]!
    const takes = options.letters.get(name) ?? 'switch'
    if (takes === 'switch' || (options.apart && index < letters.length - 1)) {
      flags.push({ name, value: undefined })
      continue
    }
    const attached = letters.slice(index + 1)
    flags.push({ name, value: attached === '' ? undefined : { ...word, text: attached } })
    return { flags, takesNext: takes === 'value' && attached === '' }
  }
  return { flags, takesNext: false }
}

/** Whether one of `r|R|--recursive` is set. Long names may be shortened, as getopt_long and git allow. */
export function hasFlag<W>(args: Pick<Arguments<W>, 'flags'>, alternatives: string): boolean {
  return args.flags.some(({ name }) => isFlag(name, alternatives))
}

export function flagValues<W>(args: Pick<Arguments<W>, 'flags'>, alternatives: string): (W | undefined)[] {
  return args.flags.filter(({ name }) => isFlag(name, alternatives)).map(({ value }) => value)
}

export const isFlag = (name: string, alternatives: string): boolean =>
  alternatives.split('|').some((wanted) => name === wanted || isShortened(name, wanted))

const isShortened = (name: string, wanted: string): boolean =>
  wanted.startsWith('--') && name.startsWith('--') && name.length >= 5 && wanted.startsWith(name)
