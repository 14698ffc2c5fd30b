import { isKnown, known, type RunAction, type Slot } from '../types.ts'
import { hasLongDash, hasSubcommands, impliedOptions, optionNames, subcommandOf } from './programs.ts'

/** A command taken apart, for matching: options under one name each, and all other words. */
export interface Taken {
  program: string | undefined
  /** The same as far as it is known, and in small letters where all of it is. */
  called: Slot
  folded: string | undefined
  subcommand: string | undefined
  /** The names of its options, `-rf` and `--recursive --force` alike. */
  options: ReadonlySet<string>
  /** Long options as they are written, for those that are written in short: `--recurs`. */
  long: readonly string[]
  /** Options that may stand behind a digit: `-4f` may be `-4 -f`, and `-n5k` is `-n` with a value. */
  doubtful: ReadonlySet<string>
  words: readonly Word[]
  /** Words of which nothing, or not enough, is known: each may be an option, or any word. */
  open: readonly Slot[]
  /** All of its words are known. */
  known: boolean
}

export interface Word {
  slot: Slot
  /** The option that it stands behind: it may be its value. */
  behind?: string
  /** The option that it is the value of for sure: `--opt=value`. */
  option?: string
}

const cache = new WeakMap<RunAction, Taken>()

export function taken(action: RunAction): Taken {
  const found = cache.get(action)
  if (found) return found
  const made = take(action.words)
  cache.set(action, made)
  return made
}

/** The same for the words of a pattern, in which `*` counts as known. */
export function take(words: readonly Slot[]): Taken {
  const [first, ...rest] = words
  const own = programOf(first)
  const program = first && isKnown(first) ? nameOf(first.parts[0] as string) : undefined
  const raw = rawWords(rest, program)
  const subcommand = program !== undefined && hasSubcommands(program) ? firstKnown(raw.words) : undefined
  const called = subcommand === undefined ? undefined : subcommandOf(program as string, subcommand)
  const namesOf = (option: string) => (program === undefined ? [option] : optionNames(program, called, option))
  const options = new Set(raw.options.flatMap(namesOf))
  const plain = raw.words.map(({ slot }) => slot.parts[0] as string)
  for (const option of impliedOptions(program, called, options, plain)) options.add(option)
  return {
    program,
    called: own,
    folded: isKnown(own) ? own.parts[0]?.toLowerCase() : undefined,
    subcommand: called,
    options,
    long: raw.options,
    doubtful: new Set(raw.doubtful.flatMap(namesOf)),
    words: raw.words.map(({ slot, behind, option }) => ({
      slot,
      ...(behind !== undefined && { behind: namesOf(behind)[0] ?? '' }),
      ...(option !== undefined && { option: namesOf(option)[0] ?? '' }),
    })),
    open: words.slice(1).filter((slot) => !isKnown(slot)),
    known: words.every(isKnown),
  }
}

/** `C:\tools\GIT.EXE` and `/usr/bin/git` are `git`. */
export const nameOf = (program: string): string =>
  program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1).replace(/\.(?:exe|cmd|bat)$/i, '')

/** The name of a program may be known where its directory is not: `$(npm bin)/eslint`. */
function programOf(first: Slot = known('')): Slot {
  const last = first.parts.at(-1) as string
  return first.parts.length === 1 || last.includes('/') ? known(nameOf(last)) : first
}

interface RawWords {
  options: string[]
  doubtful: string[]
  words: Word[]
}

function rawWords(slots: readonly Slot[], program: string | undefined): RawWords {
  const options: string[] = []
  const doubtful: string[] = []
  const words: Word[] = []
  let ended = false
  let behind: string | undefined
  for (const slot of slots) {
    const text = slot.parts[0] as string
    if (ended || !text.startsWith('-') || text === '-') {
      words.push({ slot, ...(behind !== undefined && { behind }) })
      behind = undefined
    } else if (text === '--' && isKnown(slot)) {
      ended = true
      behind = undefined
    } else {
      const { named, value } = optionsIn(text, program)
      if (value !== undefined && /^-[A-Za-z0-9]+$/.test(text)) doubtful.push(...text.slice(1))
      if (isKnown(slot) || value !== undefined) options.push(...named)
      behind = value === undefined ? (named.at(-1) ?? '') : undefined
      if (value !== undefined)
        words.push({ slot: { ...slot, parts: [value, ...slot.parts.slice(1)] }, option: named[0] ?? '' })
    }
  }
  return { options, doubtful, words }
}

/** `-rf` is two options, `--force` and `-auto-approve` are one. Behind `=`, and behind a sign that no option has, there is a value. */
function optionsIn(text: string, program: string | undefined): { named: string[]; value?: string } {
  if (text.startsWith('--') || (program !== undefined && hasLongDash(program))) {
    const [, name = '', value] = /^--?([^=]*)(?:=(.*))?$/s.exec(text) ?? []
    return { named: [name], ...(value !== undefined && { value }) }
  }
  if (/^-[A-Za-z]+$/.test(text)) return { named: [...text.slice(1)] }
  return { named: [text.slice(1, 2)], value: text.slice(2).replace(/^=/, '') }
}

function firstKnown(words: readonly Word[]): string | undefined {
  const first = words.find(({ behind, option }) => behind === undefined && option === undefined)
  return first && isKnown(first.slot) ? first.slot.parts[0] : undefined
}
