import {
  flagsIn,
  flagValues,
  interpreterNamed,
  isShell,
  isShellBuiltin,
  programName,
  readInterpreterOption,
  readOptions,
  rowsOf,
  runsScripts,
  shellRow,
  wrappedBy,
} from '../shell/index.ts'
import { type Lookup, readShell, type ShellWord, textOf } from '../shell/syntax/index.ts'

/** A word of a command: `text` when its value is certain, else only how it is written. */
export interface Word {
  raw: string
  text?: string
  /** Where it stands in the whole text, for putting another in its place. */
  span?: readonly [start: number, end: number]
}

/** One simple command; `input` is the file behind its `<`. */
export interface SimpleCommand {
  words: Word[]
  input?: Word
}

/** The simple commands of a shell text, with what is certain about their words. */
export function shellCommands(source: string, lookup: Lookup): SimpleCommand[] {
  const moves = /\b(?:cd|pushd|popd)\b/.test(source)
  const known: Lookup = (name) => (isAssignedIn(source, name) || (moves && name === 'PWD') ? undefined : lookup(name))
  const wordOf = ({ raw, pieces, span }: ShellWord): Word => {
    const isPattern =
      raw !== '[' && pieces.some((piece) => piece !== 'unknown' && 'bare' in piece && /[[{}]/.test(piece.text))
    // Not every shell takes unquoted brackets and braces for themselves.
    const text = isPattern ? undefined : textOf({ pieces }, known)
    return { raw, ...(text !== undefined && { text }), ...(span && { span }) }
  }
  return readShell(source).commands.map(({ words, input }) => ({
    words: words.map(wordOf),
    ...(input && { input: wordOf(input) }),
  }))
}

/** A name that stands anywhere without a `$` may be given another value on the way. */
function isAssignedIn(source: string, name: string): boolean {
  const escaped = name.replace(/[^\w]/g, '\\$&')
  return new RegExp(`(?<![\\w$]|\\$\\{)${escaped}(?!\\w)|\\$\\{${escaped}:?=`).test(source)
}

/** Programs that run what a file or a directory of the project says at that moment, and what that is. */
export function runsWhatSays(name: string): string | undefined {
  return tasks.find(({ programs }) => programs.test(programName(name)))?.says
}

const tasks: readonly { programs: RegExp; says: string }[] = [
  { programs: /^g?make$/, says: 'the Makefile says' },
  { programs: /^(?:just|task|rake|mage|invoke|inv|nox|tox|pre-commit|lefthook|mise)$/, says: 'its file of tasks says' },
  { programs: /^(?:npm|npx|pnpm|pnpx|yarn|bunx|yarnpkg)$/, says: 'package.json and node_modules hold' },
  { programs: /^(?:cargo|go|gradle|mvn|dotnet|bazel|composer|bundle|poetry|uv|uvx|pipx)$/, says: 'the project says' },
  { programs: /^(?:run-parts|find|fd|fdfind|parallel|entr|watchexec)$/, says: 'it finds' },
]

/** Programs that look for the script they are given among packages, and run it. */
export const isRunner = (name: string): boolean =>
  rowsOf(programName(name)).some(({ wrapper }) => wrapper.inner === 'package')

export interface ProgramUse {
  /** Absent: the shell does it all by itself. */
  program?: Word
  operands: readonly Word[]
  /** Shell text among the words, and the word that holds all of it; or why there is none. */
  inline?: readonly { source: string; word: Word | string }[]
  /** The text of a program in another language: of `python3 -c`, say. */
  code?: string
  /** The word that holds all of it. */
  codeWord?: Word
  /** What an interpreter loads before the program itself. */
  loads?: Word[]
  /** A module that is found by its name and run: of `python3 -m`, say. */
  module?: string
  /** Where it goes first. */
  directory?: Word
  unpinned: readonly string[]
}

/** Which program a simple command starts, and which of its words could be scripts. */
export function programOf(words: readonly Word[], inShell: boolean): ProgramUse {
  const [program, ...rest] = words
  const name = program?.text
  if (program === undefined) return nothing
  if (name === undefined) return { program, operands: rest, unpinned: [] }
  if (inShell && name === 'eval') return evaluated(rest)
  if (inShell && isShellBuiltin(name) && !reachesFiles.has(name)) return nothing
  return (
    unwrapped(program, name, rest, inShell) ??
    (runsScripts(name) ? interpreted(program, name, rest) : { program, operands: rest, unpinned: [] })
  )
}

const nothing: ProgramUse = { operands: [], unpinned: [] }

/** Builtins of the shell that read a file, run a program, or change where both are found. */
const reachesFiles = new Set(['.', 'source', 'cd', 'pushd', 'exec', 'command', 'builtin'])

/** What a wrapper runs here; undefined when it is none, or when what it runs is found elsewhere. */
function unwrapped(program: Word, name: string, rest: readonly Word[], inShell: boolean): ProgramUse | undefined {
  const found = wrappedBy(programName(name), rest).find(({ wrapper }) => wrapper.inner === undefined)
  if (!found) return undefined
  const { wrapper, args, words, scripts } = found
  const [directory] = wrapper.enters ? flagValues(args, wrapper.enters) : []
  const moved = directory && { directory }
  if (wrapper.optionsOnly) return scripts.length > 0 ? { ...shellText(scripts, rest, rest), program } : undefined
  if (scripts.length > 0) return { ...shellText(scripts, rest, words), ...moved }
  if (wrapper.lastScript && words.length === 1) return { ...shellText(words, rest, []), ...moved }
  return { ...programOf(words, inShell && (name === 'command' || name === 'builtin')), ...moved }
}

/** `all` are the words as they stand: a script that is only part of one cannot be replaced there. */
function shellText(scripts: readonly Word[], all: readonly Word[], operands: readonly Word[]): ProgramUse {
  return {
    operands,
    inline: scripts.flatMap((word) =>
      word.text === undefined
        ? []
        : [{ source: word.text, word: all.includes(word) ? word : 'it is part of a longer word' }],
    ),
    unpinned: scripts.flatMap(({ raw, text }) => (text === undefined ? [`${raw} is known only when it runs`] : [])),
  }
}

function interpreted(program: Word, name: string, rest: readonly Word[]): ProgramUse {
  const use: ProgramUse & { operands: Word[]; loads: Word[]; unpinned: string[] } = {
    program,
    operands: [],
    loads: [],
    unpinned: [],
  }
  const { codeWord, verbs = '' } = interpreterNamed(name) ?? {}
  let [hasOperand, wantsScript] = [false, false]
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]!
    const next = rest[at + 1]
    const text = word.text ?? ''
    if (hasOperand || !text.startsWith('-')) {
      if (wantsScript) return { ...use, ...shellText([word], rest, rest.slice(at + 1)), program }
      if (!hasOperand && text === codeWord) return { ...use, code: next?.text ?? next?.raw ?? '' }
      if (!hasOperand && verbs.split('|').includes(text) && text !== '') continue
      if (!text.startsWith('-') || text.includes('=')) use.operands.push(word)
      hasOperand = true
      continue
    }
    const option = readInterpreterOption(name, word)
    const value = option?.attached ?? next
    if (option?.names === 'code' && isShell(name)) wantsScript = true
    // The text stands in the definition; only what it loads on the way is a file.
    else if (option?.names === 'code')
      return { ...use, code: value?.text ?? value?.raw ?? '', ...(next && value === next && { codeWord: next }) }
    else if (option?.names === 'module')
      return {
        ...use,
        ...(value?.text !== undefined && { module: value.text }),
        unpinned: [...use.unpinned, `${name} -m ${value?.text ?? value?.raw ?? ''} is whatever module is installed`],
      }
    else if (option?.names === 'library' && option.attached)
      use.unpinned.push(`${name} ${text} is whatever module is installed`)
    else if (option && text.includes('=')) use.loads.push(word)
    else if (option && value) use.loads.push(option.attached ?? rest[++at]!)
    else if (text.includes('=')) use.operands.push(word)
    else if (isShell(name) && flagsIn(word, readOptions(shellRow.options)).takesNext) at++
  }
  return wantsScript ? { ...use, unpinned: [...use.unpinned, '-c is known only when it runs'] } : use
}

function evaluated(words: readonly Word[]): ProgramUse {
  if (words.every(({ text }) => text !== undefined))
    return {
      operands: [],
      inline: [{ source: words.map(({ text }) => text).join(' '), word: 'it stands in several words of `eval`' }],
      unpinned: [],
    }
  return { operands: [], unpinned: [`eval ${words.map(({ raw }) => raw).join(' ')} is known only when it runs`] }
}
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
