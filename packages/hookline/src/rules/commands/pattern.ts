import { splitWords } from '../../shell/index.ts'
import { both, either, type Glob, isUniversal, type Match, matchesSlot, maybe, no, wordGlob, yes } from '../glob.ts'
import { known, type RunAction, type Slot } from '../types.ts'
import { hasSubcommands, isShortFor, optionNames, subcommandOf } from './programs.ts'
import { nameOf, type Taken, take, taken, type Word } from './words.ts'

/** A command as people write it in a rule, understood. */
export interface CommandPattern {
  text: string
  program: Glob
  /** As it is written, where that names a directory. */
  written?: string
  /** The program by name, where it has no wildcard: what rules are found by. */
  name?: string
  options: ReadonlySet<string>
  subcommand?: string
  /** Values that options must have, wherever they stand. */
  values: readonly PatternWord[]
  /** Words that must come first, in this order: subcommands. */
  first: readonly Glob[]
  /** The other words; `undefined` stands for any number of words. */
  rest: readonly (PatternWord | undefined)[]
  /** It has a `*` as a word: more words and options may follow. */
  open: boolean
}

interface PatternWord {
  glob: Glob
  option?: string
  home?: Glob
  /** It says itself that it leads upwards: `build/../*`. */
  climbs?: true
}

export type ParsedCommand = { ok: true; pattern: CommandPattern } | { ok: false; detail: string; fix: string }

const operators = /^(?:&&|\|\|?|;|&|[0-9]*[<>].*)$/

export function parseCommand(text: string, home?: string): ParsedCommand {
  const split = splitWords(text.trim())
  if (!split.ok) return { ok: false, detail: split.detail, fix: 'Close the quotation.' }
  const operator = split.words.find((word) => operators.test(word) || /^[^*]*;$/.test(word))
  if (operator !== undefined)
    return {
      ok: false,
      detail: `\`${operator}\` joins commands, and a rule is about one command`,
      fix: 'Write the commands as a list: each is found wherever it stands in a line.',
    }
  if (split.words.length === 0) return { ok: false, detail: 'it is empty', fix: 'Write a command, such as `git push`.' }
  if (/^[A-Za-z_]\w*=/.test(split.words[0] as string))
    return {
      ok: false,
      detail: `\`${split.words[0]}\` sets a variable, and a rule begins with a program`,
      fix: 'Leave it out: deny and ask match whatever variables are set.',
    }
  return { ok: true, pattern: patternOf(text, split.words, home) }
}

function patternOf(text: string, words: readonly string[], home: string | undefined): CommandPattern {
  const [program = '', ...others] = words
  const parts = take(words.map(known))
  const plain = parts.words.filter(({ slot }) => slot.parts[0] !== '*')
  const anchored = parts.program !== undefined && hasSubcommands(parts.program) && isWord(parts.words[0])
  const first = anchored ? [wordGlob(subcommandOf(parts.program as string, plain[0]?.slot.parts[0] ?? ''))] : []
  const free = parts.words.filter(({ option }) => option === undefined)
  const rest = (anchored ? free.slice(1) : free).map(({ slot }) => wordOf(slot, undefined, home))
  const values = parts.words.flatMap(({ slot, option }) => (option === undefined ? [] : [wordOf(slot, option, home)!]))
  const name = nameOf(program)
  return {
    text,
    program: wordGlob(name, true),
    ...(!name.includes('*') && { name: name.toLowerCase() }),
    ...(/[/\\]/.test(program) && { written: tidy(program) }),
    options: parts.options,
    ...(anchored && parts.subcommand !== undefined && { subcommand: parts.subcommand }),
    values,
    first,
    rest,
    open: others.includes('*'),
  }
}

const isWord = (word: Word | undefined): boolean =>
  word !== undefined && word.option === undefined && word.slot.parts[0] !== '*'

function wordOf(slot: Slot, option: string | undefined, home: string | undefined): PatternWord | undefined {
  const text = slot.parts[0] as string
  if (text === '*' && option === undefined) return undefined
  const atHome = home !== undefined && /^~(?:\/|$)/.test(text) ? wordGlob(home + text.slice(1)) : undefined
  return {
    glob: wordGlob(tidy(text)),
    ...(option !== undefined && { option }),
    ...(atHome && { home: atHome }),
    ...(climbing.test(text) && { climbs: true as const }),
  }
}

const climbing = /(?:^|[/\\])\.\.(?:[/\\]|$)/

/** `//`, `/./` and a last `/` change nothing about a path, and words that are no paths have none of them. */
const tidy = (text: string): string =>
  text.includes('://') || !text.includes('/') ? text : text.replace(/\/(?:\.?\/)+/g, '/').replace(/\/\.?$/, '') || '/'

/** For deny and ask: whether some reading of this command has all that the pattern says. More words may be there. */
export function touches(pattern: CommandPattern, action: RunAction): Match {
  const given = taken(action)
  const { called, folded } = given
  if (folded !== undefined && pattern.name !== undefined && folded !== pattern.name) return no
  // A program of which nothing is known may bring any words along.
  if (called.parts.length > 1 && called.parts.every((part) => part === '')) return maybe
  const program = matchesSlot(pattern.program, called)
  if (program === no) return no
  const parts = named(given, pattern)
  let missing = 0
  for (const option of pattern.options) if (!hasOption(parts, option)) missing++
  if (missing > 0 && missing > parts.open.filter(mayBeOption).length) return no
  const found = alignLoosely(pattern, parts)
  if (found === no) return no
  const guessed = missing + (found === maybe ? 1 : 0)
  if (guessed === 0) return program
  return guessed <= parts.open.length ? maybe : no
}

/** Which subcommand it is may not be known: its options are then read as those of the one in question. */
function named(parts: Taken, { name, subcommand }: CommandPattern): Taken {
  if (subcommand === undefined || name === undefined || parts.subcommand !== undefined) return parts
  return { ...parts, options: new Set(parts.long.flatMap((option) => optionNames(name, subcommand, option))) }
}

const mayBeOption = ({ parts: [first = '', ...others], globbed }: Slot): boolean =>
  !globbed && (first === '' || first.startsWith('-')) && others.every((part) => /^[\w=-]*$/.test(part))

/** Also where it is written in short, as GNU programs and git accept it: `--recurs`, but not `--force` for `--force-with-lease`. */
function hasOption({ options, long, doubtful }: Taken, wanted: string): boolean {
  if (options.has(wanted) || doubtful.has(wanted)) return true
  return long.some((each) => isShortFor(each, wanted))
}

function alignLoosely({ first, values, rest }: CommandPattern, { program, words }: Taken): Match {
  let [at, found]: [number, Match] = [0, yes]
  for (const glob of first) {
    const next = findFirst(glob, words, at, program)
    if (next.found === no) return no
    found = both(found, next.found)
    at = next.at + 1
  }
  for (const wanted of values) found = both(found, findNext(wanted, words, 0).found)
  if (found === no) return no
  for (const wanted of rest) {
    if (!wanted) continue
    const next = findNext(wanted, words, at)
    if (next.found === no) return no
    found = both(found, next.found)
    at = next.at + 1
  }
  return found
}

/** Words before it may only be values of options in front. */
function findFirst(glob: Glob, words: readonly Word[], from: number, program: string | undefined) {
  let best: { at: number; found: Match } = { at: words.length, found: no }
  for (let at = from; at < words.length; at++) {
    const { slot, behind, option } = words[at] as Word
    const named =
      slot.parts.length === 1 && program !== undefined ? known(subcommandOf(program, slot.parts[0] as string)) : slot
    const found = option === undefined ? matchesSlot(glob, named) : no
    if (found === yes) return { at, found }
    if (found > best.found) best = { at, found }
    if (behind === undefined && option === undefined) return best
  }
  return best
}

function findNext(wanted: PatternWord, words: readonly Word[], from: number): { at: number; found: Match } {
  let best: { at: number; found: Match } = { at: words.length, found: no }
  for (let at = from; at < words.length; at++) {
    const found = matchesWord(wanted, words[at] as Word)
    if (found === yes) return { at, found }
    if (found > best.found) best = { at, found }
  }
  return best
}

function matchesWord({ glob, home, option }: PatternWord, word: Word): Match {
  if (option !== undefined && (word.option ?? word.behind) !== option) return no
  const slot = word.slot.parts.length === 1 ? known(tidy(word.slot.parts[0] as string)) : word.slot
  const found = matchesSlot(glob, slot)
  return home && found !== yes ? either(found, matchesSlot(home, slot)) : found
}

/** Who allows `rm build/*` has not allowed `rm build/../src`. */
const coversWord = (wanted: PatternWord, word: Word): boolean =>
  matchesWord(wanted, word) === yes && (wanted.climbs === true || !word.slot.parts.some((part) => climbing.test(part)))

/** Who allows `git push origin feature/*` has not allowed `feature/x:main`, which goes to another branch. */
function hasOtherTarget({ program, subcommand, words }: Taken, { rest }: CommandPattern): boolean {
  if (program !== 'git' || subcommand !== 'push') return false
  const says = rest.some((wanted) => wanted === undefined || wanted.glob.tokens.includes(':'))
  return !says && words.slice(1).some(({ slot }) => /^[^:]+:(?!\/\/|[^/]*@)./.test(slot.parts[0] as string))
}

/** For allow and except: whether the pattern says all there is to this command. */
export function covers(pattern: CommandPattern, action: RunAction): boolean {
  if (action.wraps || action.inside.length > 0 || action.extras.length > 0) return false
  if ((action.program === undefined ? undefined : tidy(action.program)) !== pattern.written) return false
  const parts = taken(action)
  if (!parts.known || matchesSlot(pattern.program, parts.called) !== yes) return false
  for (const option of pattern.options) if (!parts.options.has(option)) return false
  if (!pattern.open) for (const option of parts.options) if (!pattern.options.has(option)) return false
  if (isUniversal(pattern.program) && !pattern.open) return false
  if (hasOtherTarget(parts, pattern)) return false
  const valued = (word: Word) => pattern.values.some((value) => coversWord(value, word))
  if (!pattern.values.every((value) => parts.words.some((word) => coversWord(value, word)))) return false
  const words = [...pattern.first.map((glob) => ({ glob })), ...pattern.rest]
  const plain = parts.words
    .filter((word) => !valued(word))
    .map((word, at) =>
      at === 0 && pattern.first.length > 0 && parts.program !== undefined
        ? { ...word, slot: known(subcommandOf(parts.program, word.slot.parts[0] as string)) }
        : word,
    )
  return alignStrictly(words, plain)
}

/** As text is matched with wildcards, word by word: no way back further than the last `*`. */
function alignStrictly(wanted: readonly (PatternWord | undefined)[], words: readonly Word[]): boolean {
  let [at, from, star, resume] = [0, 0, -1, 0]
  while (at < words.length) {
    const next = wanted[from]
    if (from < wanted.length && next === undefined) {
      star = from++
      resume = at
    } else if (next && coversWord(next, words[at] as Word)) {
      at++
      from++
    } else if (star >= 0) {
      from = star + 1
      at = ++resume
    } else return false
  }
  while (from < wanted.length && wanted[from] === undefined) from++
  return from === wanted.length
}
