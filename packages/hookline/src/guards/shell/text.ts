import { quoteAlways } from '../../shell/index.ts'

/**
 * Text of which some runs may be unknown. An unknown run is one private-use character, so that ordinary
 * string operations keep working on half-known text; a command that already contains such a character
 * is merely read as less known than it is.
 */
export const MAYBE = '\uE000' // unknown, and possibly nothing at all: an unset variable
export const SOME = '\uE001' // unknown, and certainly not empty

/** Only in what is listed: one existing name, and any way down from a directory. */
export const NAME = '\uE002'
export const PATH = '\uE003'
/** Unknown because we gave up: whatever becomes of this text was not analysed. */
export const CUT = '\uE004'
/** A number, only not known which: what arithmetic and counting programs give. Calculating with it runs nothing. */
export const NUMBER = '\uE005'
/** Of these, nothing is known but that they are there. */
export const UNKNOWN = MAYBE + SOME + NUMBER
const GAP = /[\uE000-\uE005]/
const GAPS = /[\uE000-\uE005]/g

/** Where bytes came from. It travels with them through variables, pipes, files and substitutions. */
export type Taint =
  | 'remote' // downloaded
  | 'decoded' // unpacked from base64 and its kind
  | 'secret' // read from a credential file
  | 'typed' // read from the record of what was typed
  | 'credential' // a variable that holds a credential by its name
  | `of:${string}` // beside `credential`: whose it is, by the name of the variable or of the program that hands it out
  | 'guard' // numbers of processes that watch over the agent
  | 'bulk' // a whole database, repository or tree, packed
  | 'processes' // the numbers of all processes, unsorted
  | 'environment' // the dump of all variables
  | 'endless' // never stops by itself
  | 'listed' // a name that another program lists when it runs: find -exec, xargs
  | 'fed' // piped into a program that makes commands of it: xargs, parallel

export interface Stream {
  text: string
  taints: readonly Taint[]
  /** Names that another program lists: what is known of each, where `text` is only where they were looked for; a line for each kind. */
  listed?: string
  /** The file that it is the content of, where nobody has read that. */
  file?: string
}

/** One word of a command after expansion. */
export interface Field extends Stream {
  /** An unquoted `*`, `?` or `[…]` is in the text: it stands for any name that matches. */
  glob: boolean
  /** Found by names that only scratch has; see deletions.ts. */
  spare?: boolean
  /** Unknown text outside of quotes, or a whole list: when it runs, it may be any number of words. */
  splits?: boolean
  /** What is read from this word when it is opened as a file: `<(…)`. */
  content?: Stream
}

export const UNTAINTED: readonly Taint[] = []
export const UNKNOWN_STREAM: Stream = { text: SOME, taints: UNTAINTED }

export const field = (text: string, taints: readonly Taint[] = UNTAINTED, glob = false): Field => ({
  text,
  taints,
  glob,
})

/** Of one word, where only one kind of name is listed. */
export const onlyListed = (listed: string | undefined): string | undefined =>
  listed?.includes('\n') ? undefined : listed

export const stream = (text: string, taints: readonly Taint[] = UNTAINTED): Stream => ({ text, taints })

export function isKnown(text: string): boolean {
  return !GAP.test(text)
}

/** What of it is unknown are numbers. */
export const isCountable = (text: string): boolean => isKnown(text.replaceAll(NUMBER, '0'))

/** The reading in which everything that may be empty is empty; undefined when some run certainly is not. */
export function emptiest(text: string): string | undefined {
  return /[\uE001\uE004\uE005]/.test(text) ? undefined : text.replaceAll(MAYBE, '')
}

/** Text the guard computes itself is cut here: longer than any line. */
const LONGEST_TEXT = 131_072

export function clip(text: string): string {
  return text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) + CUT : text
}

export function mixTaints(...lists: (readonly Taint[])[]): readonly Taint[] {
  const present = lists.filter((list) => list.length > 0)
  if (present.length <= 1) return present[0] ?? UNTAINTED
  return [...new Set(present.flat())]
}

/** How half-known text is shown to a person. */
export function readable(text: string): string {
  return text.replace(/[\uE002\uE003]+|[\uE000\uE001\uE004\uE005]/g, '…')
}

/** Words as a person would write them, quoted only where that is needed; globs and unknown runs stay as they are. */
export function render(words: readonly Field[]): string {
  return words.map((word) => quote(word.text)).join(' ')
}

export function quote(text: string): string {
  const plain = text.replace(GAPS, '')
  if (text !== '' && /^[\w@%+=:,./~*?{}[\]-]*$/.test(plain)) return text
  return quoteAlways(text)
}
