import type { Field } from './text.ts'

/**
 * Which options take a value, in getopt's notation: `-C:c: --git-dir=`. A letter with `:` takes a value, a long
 * name with `=` takes one in the next word too. Everything else is taken for a switch.
 */
export interface Options {
  letters: ReadonlyMap<string, boolean>
  names: ReadonlyMap<string, boolean>
  /** Options are whole words behind one dash: find, terraform. */
  wholeWords: boolean
  /** `-10` is accepted. */
  numbers: boolean
}

export interface Arguments {
  /** In order: 'r', '--force', '-auto-approve'. */
  flags: readonly { name: string; value: Field | undefined }[]
  operands: readonly Field[]
  /** How many operands came before a lone `--`; all of them without one. */
  beforeDashes: number
}

const parsedOptions = new Map<string, Options>()

export function readOptions(notation: string): Options {
  const known = parsedOptions.get(notation)
  if (known) return known
  const letters = new Map<string, boolean>()
  const names = new Map<string, boolean>()
  let wholeWords = false
  let numbers = false
  for (const token of notation.split(' ').filter(Boolean)) {
    if (token === '-#') numbers = true
    else if (token === '-word') wholeWords = true
    else if (token.startsWith('--') || wholeWords) names.set(token.replace(/=$/, ''), token.endsWith('='))
    else for (const [, letter = '', colon] of token.slice(1).matchAll(/(.)(:?)/g)) letters.set(letter, colon === ':')
  }
  const options = { letters, names, wholeWords, numbers }
  parsedOptions.set(notation, options)
  return options
}

/** With `stopAtOperand`, everything from the first operand on is an operand: how wrappers read their line. */
export function parseArguments(words: readonly Field[], options: Options, stopAtOperand = false): Arguments {
  const flags: { name: string; value: Field | undefined }[] = []
  const operands: Field[] = []
  let beforeDashes: number | undefined
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Field
    const { text } = word
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
    } else if (text.startsWith('--') || options.wholeWords) {
      const equals = text.indexOf('=')
      const name = equals < 0 ? text : text.slice(0, equals)
      if (equals >= 0) flags.push({ name, value: { ...word, text: text.slice(equals + 1) } })
      else flags.push({ name, value: options.names.get(name) ? words[++at] : undefined })
    } else {
      const letters = text.slice(1)
      for (let index = 0; index < letters.length; index++) {
        const letter = letters[index] as string
        if (!options.letters.get(letter)) {
          flags.push({ name: letter, value: undefined })
          continue
        }
        const attached = letters.slice(index + 1)
        flags.push({ name: letter, value: attached === '' ? words[++at] : { ...word, text: attached } })
        break
      }
    }
  }
  return { flags, operands, beforeDashes: beforeDashes ?? operands.length }
}

/** Whether one of `r|R|--recursive` is set. Long names may be shortened, as getopt_long and git allow. */
export function hasFlag(args: Arguments, alternatives: string): boolean {
  return flagValues(args, alternatives).length > 0
}

export function flagValues(args: Arguments, alternatives: string): (Field | undefined)[] {
  const wanted = alternatives.split('|')
  return args.flags.filter(({ name }) => wanted.some((want) => isFlag(name, want))).map(({ value }) => value)
}

function isFlag(name: string, wanted: string): boolean {
  if (name === wanted) return true
  return wanted.startsWith('--') && name.startsWith('--') && name.length >= 5 && wanted.startsWith(name)
}
